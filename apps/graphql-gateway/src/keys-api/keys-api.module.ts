// REST of keys, usage and names: /keys, /usage and /names for users, /admin/keys and /admin/usage for administrators.
import { Module } from '@nestjs/common';
import { CallerAuth } from '@tradewind/service-kit';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { DictionariesModule } from '../dictionaries/dictionaries.module.js';
import { LoginModule } from '../login/login.module.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { AllKeysController } from './all-keys.controller.js';
import { AllUsageController } from './all-usage.controller.js';
import { DataCallers } from './data-callers.js';
import { LimitsOfRefusals } from './limits-of-refusals.js';
import { NamesController } from './names.controller.js';
import { OwnKeysController } from './own-keys.controller.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [ApiKeysModule, DictionariesModule, LimitsModule, LoginModule],
  controllers: [UsageController, OwnKeysController, AllKeysController, AllUsageController, NamesController],
  providers: [{ provide: CallerAuth, useClass: DataCallers }, LimitsOfRefusals],
})
export class KeysApiModule {}
