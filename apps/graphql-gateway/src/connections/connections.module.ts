import { Module } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { CompanyChangesStore } from '../filter-index/company-changes.store.js';
import { FilterIndexService } from '../filter-index/filter-index.service.js';
import { IndexedPageReader } from '../filter-index/page-reader.indexed.js';
import { ConnectionsService } from './connections.service.js';
import { CountCache } from './count-cache.js';
import { ElementFrequencies } from './element-frequencies.js';
import { PagePlan } from './page-plan.js';
import { PageReader } from './page-reader.port.js';
import { PostgresPageReader } from './page-reader.postgres.js';

@Module({
  providers: [
    ConnectionsService,
    CountCache,
    ElementFrequencies,
    PagePlan,
    CompanyChangesStore,
    FilterIndexService,
    PostgresPageReader,
    IndexedPageReader,
    {
      provide: PageReader,
      inject: [AppConfig, PostgresPageReader, IndexedPageReader],
      useFactory: (config: AppConfig, postgres: PostgresPageReader, indexed: IndexedPageReader): PageReader =>
        config.FILTER_INDEX ? indexed : postgres,
    },
  ],
  exports: [ConnectionsService],
})
export class ConnectionsModule {}
