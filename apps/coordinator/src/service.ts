import { createWarehouse } from '@tradewind/cloud-ports';
import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { frontPage } from './front-page.js';
import { migrations } from './migrations.js';
import { PushDelivery } from './push-delivery.js';
import { readRunBodies } from './runs/run-body.js';

export const apiDescription = {
  title: 'coordinator',
  description:
    'Selects the priority people of a month, publishes their profiles in batches, and reports what is missing.',
};

export const service = defineService({
  name: 'coordinator',
  config: AppConfig,
  module: () => AppModule.forRoot(),
  frontPage: () => frontPage,
  configure: async (app, config) => {
    readRunBodies(app.getHttpAdapter().getInstance());
    await openApi(app, config, apiDescription);
    await app.get(PushDelivery).start();
  },
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
