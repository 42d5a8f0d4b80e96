import { collectStartUpGarbage, defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { frontPage } from './front-page.js';
import { migrations } from './migrations.js';

export const apiDescription = {
  title: 'graphql-gateway',
  description:
    'Keys and usage of the data API over REST, with an access token for the resource urn:tradewind:data. The data API itself is GraphQL, at /graphql with an API key.',
};

/** The gateway, as main.ts and the tests start it. */
export const service = defineService({
  name: 'graphql-gateway',
  config: AppConfig,
  module: AppModule,
  frontPage,
  isCalledInside: false,
  onServing: collectStartUpGarbage,
  configure: (app, config) => openApi(app, config, apiDescription),
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
