import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, EntitySchema, MixedList } from 'typeorm';
import { ServiceConfig } from '../config/config-class.js';
import { Logger } from '../logger.js';
import { ReadinessRegistry } from '../readiness.js';
import { connectionOptions, type DatabaseConfig } from './database-settings.js';
import { migrateDatabase, type Migration } from './migrate.js';
import { untilReachable } from './until-reachable.js';
import { WatchedClient } from './watched-client.js';

export interface DatabaseModuleOptions {
  /** Applied before the first query when MIGRATE_ON_START is set, so that operator commands find their tables as well. */
  migrations?: readonly Migration[];
  entities?: MixedList<(new (...args: never[]) => unknown) | EntitySchema>;
}

/** Provides TypeORM's DataSource to the whole app, connected, and closes it after everything else has stopped. */
@Module({})
export class DatabaseModule {
  /** Loads TypeORM only here: a service without tables does not carry it in its memory. */
  static async forRoot(options: DatabaseModuleOptions = {}): Promise<DynamicModule> {
    const typeorm = await import('typeorm');
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: typeorm.DataSource,
          inject: [ServiceConfig, Logger, ReadinessRegistry],
          useFactory: async (config: ServiceConfig & DatabaseConfig, logger: Logger, readiness: ReadinessRegistry) => {
            const { connectionString, application_name, ...extra } = connectionOptions(config, config.DATABASE_SCHEMA);
            const dataSource = new typeorm.DataSource({
              type: 'postgres',
              url: connectionString as string,
              applicationName: application_name as string,
              schema: config.DATABASE_SCHEMA,
              // TypeORM takes an array or a record; a readonly list of classes is one.
              entities: (options.entities ?? []) as [],
              poolSize: config.DATABASE_POOL_SIZE,
              extra: { ...extra, max: config.DATABASE_POOL_SIZE, Client: WatchedClient },
              synchronize: false,
              migrationsRun: false,
              installExtensions: false,
              logging: false,
              poolErrorHandler: (error: unknown) => logger.warn({ err: error }, 'an idle database connection was lost'),
            });
            await untilReachable(
              () => dataSource.initialize(),
              (error) => logger.warn({ err: error }, 'the database does not answer yet'),
            );
            if (config.MIGRATE_ON_START && options.migrations) await migrateDatabase(config, options.migrations);
            readiness.add({
              name: 'postgres',
              probe: () => dataSource.query('select 1'),
              isEssential: true,
              why: 'the state of the service is there',
            });
            return dataSource;
          },
        },
        {
          provide: DatabaseShutdown,
          inject: [typeorm.DataSource],
          useFactory: (dataSource: DataSource) => new DatabaseShutdown(dataSource),
        },
      ],
      exports: [typeorm.DataSource],
    };
  }
}

class DatabaseShutdown implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
