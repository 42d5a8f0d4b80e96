import { Module } from '@nestjs/common';
import { ConnectionsService } from './connections.service.js';
import { CountCache } from './count-cache.js';
import { PageReader } from './page-reader.port.js';
import { PostgresPageReader } from './page-reader.postgres.js';

@Module({
  providers: [ConnectionsService, CountCache, { provide: PageReader, useClass: PostgresPageReader }],
  exports: [ConnectionsService],
})
export class ConnectionsModule {}
