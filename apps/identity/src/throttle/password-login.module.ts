import { Global, Module } from '@nestjs/common';
import { PasswordHashing } from '../users/password-hashing.js';
import { KnownBrowsers } from './known-browsers.js';
import { PasswordLogin } from './password-login.js';

@Global()
@Module({
  providers: [PasswordLogin, PasswordHashing, KnownBrowsers],
  exports: [PasswordLogin, PasswordHashing, KnownBrowsers],
})
export class PasswordLoginModule {}
