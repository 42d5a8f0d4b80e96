import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { ServiceConfig } from '../config/config-class.js';
import { Logger } from '../logger.js';
import { ReadinessRegistry } from '../readiness.js';
import type { DatabaseConfig } from './database-settings.js';
import { Db } from './db.js';
import { migrateDatabase, type Migration } from './migrate.js';
import { openDb, type OpenDbOptions } from './open-db.js';

export interface DatabaseModuleOptions extends Pick<OpenDbOptions, 'entities' | 'plans'> {
  /**
   * Applied before the first query when MIGRATE_ON_START is set, so that operator commands find their tables as well.
   */
  migrations?: readonly Migration[];
}

/** Provides the Db to the whole app, connected, and closes it after everything else has stopped. */
@Module({})
export class DatabaseModule {
  static forRoot({ migrations, ...options }: DatabaseModuleOptions = {}): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: Db,
          inject: [ServiceConfig, Logger, ReadinessRegistry],
          useFactory: async (config: ServiceConfig & DatabaseConfig, logger: Logger, readiness: ReadinessRegistry) => {
            const db = await openDb(config, {
              ...options,
              onWait: (error) => logger.warn({ err: error }, 'the database does not answer yet'),
              onIdleConnectionLost: (error) => logger.warn({ err: error }, 'an idle database connection was lost'),
            });
            if (config.MIGRATE_ON_START && migrations) await migrateDatabase(config, migrations);
            readiness.add({
              name: 'postgres',
              probe: () => db.rows('select 1'),
              isEssential: true,
              why: 'the state of the service is there',
            });
            return db;
          },
        },
        { provide: DatabaseShutdown, inject: [Db], useFactory: (db: Db) => new DatabaseShutdown(db) },
      ],
      exports: [Db],
    };
  }
}

class DatabaseShutdown implements OnApplicationShutdown {
  constructor(private readonly db: Db) {}

  onApplicationShutdown(): Promise<void> {
    return this.db.close();
  }
}
