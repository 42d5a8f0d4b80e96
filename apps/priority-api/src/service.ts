import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { migrations } from './migrations.js';
import { openApiOptions } from './openapi.js';

export const service = defineService({
  name: 'priority-api',
  config: AppConfig,
  module: () => AppModule.forRoot(),
  configure: (app, config) => openApi(app, config, openApiOptions),
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
