import { Module } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { PageReader } from '../connections/page-reader.port.js';
import { PostgresPageReader } from '../connections/page-reader.postgres.js';
import { DataStore } from '../data-store/data-store.js';
import { AppEvents } from '../events.js';
import { chooseEngine } from './choose-engine.js';
import { EngineMaintenance } from './engine-maintenance.port.js';
import { FollowedChanges } from './followed-changes.js';
import { EnginePageReader } from './page-reader.engine.js';
import { RecordChangesStore } from './record-changes.store.js';

/** Where pages come from: an engine with PostgreSQL behind it, or PostgreSQL alone. */
@Module({
  imports: [ConnectionsModule],
  providers: [
    RecordChangesStore,
    {
      provide: EngineMaintenance,
      inject: [AppConfig, RecordChangesStore, AppEvents, BackgroundWork],
      useFactory: chooseEngine,
    },
    FollowedChanges,
    {
      provide: PageReader,
      inject: [EngineMaintenance, PostgresPageReader, FollowedChanges, DataStore, AppEvents],
      useFactory: (
        chosen: EngineMaintenance | null,
        postgres: PostgresPageReader,
        changes: FollowedChanges,
        dataStore: DataStore,
        events: AppEvents,
      ): PageReader =>
        chosen ? new EnginePageReader({ engine: chosen.engine, postgres, changes, dataStore, events }) : postgres,
    },
  ],
  exports: [PageReader],
})
export class FilterEngineModule {}
