import { Module } from '@nestjs/common';
import { IssuerKeys } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { DirectLoginStrategy } from './direct-login.strategy.js';
import { IdentityClient, identityUnavailable } from './identity-client.js';
import { LiveTokens } from './live-tokens.js';
import { LoginResolver } from './login.resolver.js';

@Module({
  providers: [
    IdentityClient,
    {
      provide: IssuerKeys,
      inject: [AppConfig],
      useFactory: (config: AppConfig) =>
        new IssuerKeys({
          url: `${config.IDENTITY_URL ?? config.OAUTH_ISSUER}/oauth/jwks`,
          timeoutMs: config.IDENTITY_TIMEOUT_MS,
          unavailable: identityUnavailable,
        }),
    },
    LiveTokens,
    DirectLoginStrategy,
    LoginResolver,
  ],
  exports: [IdentityClient, IssuerKeys, LiveTokens],
})
export class LoginModule {}
