import { collectStartUpGarbage, defineService, migrateDatabase } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { migrations } from './migrations.js';

/** The gateway, as main.ts and the tests start it. */
export const service = defineService({
  name: 'graphql-gateway',
  config: AppConfig,
  module: AppModule,
  isCalledInside: false,
  onServing: collectStartUpGarbage,
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
