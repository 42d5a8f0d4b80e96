import { Module } from '@nestjs/common';
import { CountCache } from './count-cache.js';
import { PostgresPageReader } from './page-reader.postgres.js';

/** Pages from PostgreSQL. Which implementation of `PageReader` is used is decided in filter-engine/choose-engine.ts. */
@Module({
  providers: [CountCache, PostgresPageReader],
  exports: [PostgresPageReader],
})
export class ConnectionsModule {}
