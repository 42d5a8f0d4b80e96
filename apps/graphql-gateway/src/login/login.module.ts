import { Module } from '@nestjs/common';
import { DirectLoginStrategy } from './direct-login.strategy.js';
import { IdentityClient } from './identity-client.js';
import { LoginResolver } from './login.resolver.js';
import { SigningKeysService } from './signing-keys.service.js';

@Module({
  providers: [IdentityClient, SigningKeysService, DirectLoginStrategy, LoginResolver],
  exports: [DirectLoginStrategy, IdentityClient],
})
export class LoginModule {}
