import { createWarehouse } from '@tradewind/cloud-ports';
import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { frontPage } from './front-page.js';
import { migrations } from './migrations.js';

export const apiDescription = {
  title: 'Tradewind interactions',
  description:
    'Starts and aborts scraping runs of the posts, reactions and comments of people and companies, and reports their state.',
};

export const service = defineService({
  name: 'interactions',
  config: AppConfig,
  module: AppModule,
  frontPage: () => frontPage,
  migrate: (config) => migrateDatabase(config, migrations),
  prepare: async (config) => {
    const warehouse = await createWarehouse(config);
    try {
      await warehouse.migrate();
    } finally {
      await warehouse.onApplicationShutdown();
    }
  },
  configure: (app, config) => openApi(app, config, apiDescription),
  commands: addCommands,
});
