// The four connections of /graphql, and where their pages come from.
import { Module } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { PageReader } from '../connections/page-reader.port.js';
import { PostgresPageReader } from '../connections/page-reader.postgres.js';
import { DataStore } from '../data-store/data-store.js';
import { DictionariesModule } from '../dictionaries/dictionaries.module.js';
import { AppEvents } from '../events.js';
import { FilterEngineModule } from '../filter-engine/filter-engine.module.js';
import { FilterEngineService } from '../filter-engine/filter-engine.service.js';
import { EnginePageReader } from '../filter-engine/page-reader.engine.js';
import { CompaniesResolver } from './companies/companies.resolver.js';
import { ContactsResolver } from './contacts/contacts.resolver.js';
import { DealsResolver } from './deals/deals.resolver.js';
import { PersonsResolver } from './persons/persons.resolver.js';

/** One for each connection field. */
export const recordResolvers = [CompaniesResolver, PersonsResolver, DealsResolver, ContactsResolver];

@Module({
  imports: [ConnectionsModule, DictionariesModule, FilterEngineModule],
  providers: [
    ConnectionsService,
    {
      provide: PageReader,
      inject: [AppConfig, PostgresPageReader, FilterEngineService, DataStore, AppEvents],
      useFactory: (
        config: AppConfig,
        postgres: PostgresPageReader,
        filterEngine: FilterEngineService,
        dataStore: DataStore,
        events: AppEvents,
      ): PageReader =>
        config.FILTER_ENGINE === 'postgres'
          ? postgres
          : new EnginePageReader(filterEngine, postgres, dataStore, events),
    },
    ...recordResolvers,
  ],
  exports: [ConnectionsService, ...recordResolvers],
})
export class RecordsModule {}
