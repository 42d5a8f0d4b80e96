import { Module } from '@nestjs/common';
import { Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { LimitsService } from './limits.service.js';
import { LimitsStore } from './limits.store.js';
import { RefusedKeysLimit } from './refused-keys-limit.js';

@Module({
  providers: [
    {
      provide: LimitsStore,
      inject: [AppConfig, Logger],
      useFactory: (config: AppConfig, logger: Logger) => LimitsStore.open(config, logger),
    },
    LimitsService,
    RefusedKeysLimit,
  ],
  exports: [LimitsService, RefusedKeysLimit],
})
export class LimitsModule {}
