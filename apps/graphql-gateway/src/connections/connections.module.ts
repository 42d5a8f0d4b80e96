import { Module } from '@nestjs/common';
import { CountCache } from './count-cache.js';
import { ElementFrequencies } from './element-frequencies.js';
import { PagePlan } from './page-plan.js';
import { PostgresPageReader } from './page-reader.postgres.js';

/** Pages from PostgreSQL. Which implementation of `PageReader` is used is decided in records/records.module.ts. */
@Module({
  providers: [CountCache, ElementFrequencies, PagePlan, PostgresPageReader],
  exports: [PostgresPageReader],
})
export class ConnectionsModule {}
