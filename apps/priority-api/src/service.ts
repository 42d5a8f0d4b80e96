import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { WatchLoop } from './delivery-watch/watch.loop.js';
import { migrations } from './migrations.js';
import { openApiOptions } from './openapi.js';
import { Retention } from './retention.js';
import { StartLoops } from './profile-calls/start.loops.js';

export const service = defineService({
  name: 'priority-api',
  config: AppConfig,
  module: () => AppModule.forRoot(),
  configure: async (app, config) => {
    await openApi(app, config, openApiOptions);
    app.get(StartLoops).start();
    app.get(WatchLoop).start();
    app.get(Retention).start();
  },
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
