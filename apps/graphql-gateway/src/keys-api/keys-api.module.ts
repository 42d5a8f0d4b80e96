// REST of keys and usage: /keys and /usage for users, /admin/keys for administrators.
import { Module } from '@nestjs/common';
import { CallerAuth } from '@tradewind/service-kit';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { LoginModule } from '../login/login.module.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { AllKeysController } from './all-keys.controller.js';
import { DataCallers } from './data-callers.js';
import { LimitsOfRefusals } from './limits-of-refusals.js';
import { OwnKeysController } from './own-keys.controller.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [ApiKeysModule, LimitsModule, LoginModule],
  controllers: [UsageController, OwnKeysController, AllKeysController],
  providers: [{ provide: CallerAuth, useClass: DataCallers }, LimitsOfRefusals],
})
export class KeysApiModule {}
