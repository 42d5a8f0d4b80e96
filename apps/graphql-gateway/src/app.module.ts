import { Module } from '@nestjs/common';
import { DatabaseModule } from '@tradewind/service-kit';
import { ApiKey } from './api-keys/api-key.entity.js';
import { AuditEntry } from './api-keys/audit-entry.entity.js';
import { DataStoreModule } from './data-store/data-store.module.js';
import { AuthApiModule } from './endpoint/auth-api.module.js';
import { DataApiModule } from './endpoint/data-api.module.js';
import { ExplorerController } from './explorer/explorer.controller.js';
import { KeysApiModule } from './keys-api/keys-api.module.js';
import { migrations } from './migrations.js';
import { SearchIndexFeeders } from './search-index/search-index.feeders.js';

@Module({
  imports: [
    DatabaseModule.forRoot({ migrations, entities: [ApiKey, AuditEntry] }),
    DataStoreModule,
    AuthApiModule,
    DataApiModule,
    KeysApiModule,
  ],
  controllers: [ExplorerController],
  providers: [SearchIndexFeeders],
})
export class AppModule {}
