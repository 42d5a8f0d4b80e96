import { Module } from '@nestjs/common';
import { IssuerKeys, LiveTokens } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { DirectLoginStrategy } from './direct-login.strategy.js';
import { identityAddress, IdentityClient, identityUnavailable } from './identity-client.js';
import { LoginResolver } from './login.resolver.js';

@Module({
  providers: [
    IdentityClient,
    {
      provide: IssuerKeys,
      inject: [AppConfig],
      useFactory: (config: AppConfig) =>
        new IssuerKeys({
          url: `${identityAddress(config).url}/oauth/jwks`,
          timeoutMs: config.IDENTITY_TIMEOUT_MS,
          unavailable: identityUnavailable,
        }),
    },
    {
      provide: LiveTokens,
      inject: [AppConfig, AppEvents, Clock],
      useFactory: (config: AppConfig, events: AppEvents, clock: Clock) =>
        new LiveTokens({
          identity: identityAddress(config),
          trustedMs: config.KEY_CACHE_MS,
          onUnchecked: (reason) => events.emit('token_unchecked', { reason }),
          elapsedMs: () => clock.elapsedMs(),
        }),
    },
    DirectLoginStrategy,
    LoginResolver,
  ],
  exports: [IdentityClient, IssuerKeys, LiveTokens],
})
export class LoginModule {}
