import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { frontPage } from './front-page.js';
import { migrations } from './migrations.js';

export const apiDescription = {
  title: 'priority-api',
  description: 'Receives batches of priority profiles from the queue and starts scraping for each profile.',
};

export const service = defineService({
  name: 'priority-api',
  config: AppConfig,
  module: () => AppModule.forRoot(),
  frontPage: () => frontPage,
  configure: (app, config) => openApi(app, config, apiDescription),
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
