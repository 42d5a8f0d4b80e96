import { Module } from '@nestjs/common';
import { LimitsService } from './limits.service.js';
import { LimitsStore } from './limits.store.js';
import { RefusedKeysLimit } from './refused-keys-limit.js';

@Module({ providers: [LimitsStore, LimitsService, RefusedKeysLimit], exports: [LimitsService, RefusedKeysLimit] })
export class LimitsModule {}
