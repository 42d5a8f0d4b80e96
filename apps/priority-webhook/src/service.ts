import { createWarehouse } from '@tradewind/cloud-ports';
import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { frontPage } from './front-page.js';
import { migrations } from './migrations.js';

export const apiDescription = {
  title: 'priority-webhook',
  description: 'Receives scraped profiles from the provider, stores them in the warehouse and backs them up.',
};

export const service = defineService({
  name: 'priority-webhook',
  config: AppConfig,
  module: () => AppModule.forRoot(),
  frontPage: () => frontPage,
  configure: (app, config) => openApi(app, config, apiDescription),
  migrate: (config) => migrateDatabase(config, migrations),
  prepare: async (config) => {
    if (config.CLOUD === 'embedded') await migrateWarehouse(config);
  },
  commands: addCommands,
});

/** On Google Cloud the tables are set up by deployment; the first process makes the embedded ones. */
async function migrateWarehouse(config: AppConfig): Promise<void> {
  const warehouse = await createWarehouse(config);
  try {
    await warehouse.migrate();
  } finally {
    await warehouse.onApplicationShutdown();
  }
}
