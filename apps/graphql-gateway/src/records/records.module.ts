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
import { FilterIndexModule } from '../filter-index/filter-index.module.js';
import { FilterIndexService } from '../filter-index/filter-index.service.js';
import { IndexedPageReader } from '../filter-index/page-reader.indexed.js';
import { CompaniesResolver } from './companies/companies.resolver.js';
import { ContactsResolver } from './contacts/contacts.resolver.js';
import { DealsResolver } from './deals/deals.resolver.js';
import { PersonsResolver } from './persons/persons.resolver.js';

/** One for each connection field. */
export const recordResolvers = [CompaniesResolver, PersonsResolver, DealsResolver, ContactsResolver];

@Module({
  imports: [ConnectionsModule, DictionariesModule, FilterIndexModule],
  providers: [
    ConnectionsService,
    {
      provide: PageReader,
      inject: [AppConfig, PostgresPageReader, FilterIndexService, DataStore, AppEvents],
      useFactory: (
        config: AppConfig,
        postgres: PostgresPageReader,
        filterIndex: FilterIndexService,
        dataStore: DataStore,
        events: AppEvents,
      ): PageReader =>
        config.FILTER_INDEX ? new IndexedPageReader(filterIndex, postgres, dataStore, events) : postgres,
    },
    ...recordResolvers,
  ],
  exports: [ConnectionsService, ...recordResolvers],
})
export class RecordsModule {}
