import { Module } from '@nestjs/common';
import { CallerAuth, DatabaseModule } from '@tradewind/service-kit';
import { platformResource, userRoles } from '@tradewind/shared-types';
import { AccountLinks } from './account-links/account-links.service.js';
import { AccountLinksStore } from './account-links/account-links.store.js';
import { MailDelivery } from './account-links/mail-delivery.js';
import { AccountController } from './account/account.controller.js';
import { AccountPages } from './account/account-pages.service.js';
import { LinkPagesController } from './account/link-pages.controller.js';
import { LinkPages } from './account/link-pages.service.js';
import { AccountVisits } from './account/account-visits.js';
import { OwnAccount } from './account/own-account.service.js';
import { TwoFactorPages } from './account/two-factor-pages.service.js';
import { AdminAuditController } from './administration/admin-audit.controller.js';
import { AdminClientsController } from './administration/admin-clients.controller.js';
import { AdminGrantsController } from './administration/admin-grants.controller.js';
import { AdminSigningKeysController } from './administration/admin-signing-keys.controller.js';
import { AdminUsersController } from './administration/admin-users.controller.js';
import { AppConfig } from './app.config.js';
import { AuditLog } from './audit/audit-log.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { AuditStore } from './audit/audit.store.js';
import { Retention } from './retention.js';
import { ClientRecords } from './clients/client-records.js';
import { ClientsStore } from './clients/clients.store.js';
import { OAuthClient } from './clients/oauth-client.entity.js';
import { DirectLoginController } from './direct-login/direct-login.controller.js';
import { DirectLogin } from './direct-login/direct-login.service.js';
import { DiscoveryController } from './discovery/discovery.controller.js';
import { AppEvents } from './events.js';
import { LoginPagesController } from './login-pages/login-pages.controller.js';
import { LoginPages } from './login-pages/login-pages.service.js';
import { migrations } from './migrations.js';
import { CurrentProvider } from './oidc/current-provider.js';
import { LiveAccessTokens } from './oidc/live-access-tokens.js';
import { LogoutCalls } from './oidc/logout-calls.js';
import { LogoutCallsStore } from './oidc/logout-calls.store.js';
import { PayloadsStore } from './oidc/payloads/payloads.store.js';
import { UserPayloadsStore } from './oidc/payloads/user-payloads.store.js';
import { RefreshReuse } from './oidc/middleware/refresh-reuse.js';
import { TokenCheckController } from './oidc/token-check.controller.js';
import { AuditEvents } from './operators/audit-events.service.js';
import { Clients } from './operators/clients.service.js';
import { Grants } from './operators/grants.service.js';
import { Users } from './operators/users.service.js';
import { KnownBrowsers } from './password-login/known-browsers.js';
import { PasswordHashing } from './password-login/password-hashing.js';
import { PasswordLogin } from './password-login/password-login.service.js';
import { LoginThrottle } from './password-login/login-throttle.js';
import { SealedText } from './sealed-text.js';
import { SecondFactors } from './second-factor/second-factors.service.js';
import { SecondFactorsStore } from './second-factor/second-factors.store.js';
import { SignedTokens } from './signing-keys/signed-tokens.js';
import { SigningKeys } from './signing-keys/signing-keys.service.js';
import { SigningKeyRow } from './signing-keys/signing-key.entity.js';
import { SigningKeysStore } from './signing-keys/signing-keys.store.js';
import { AttemptsStore } from './throttle/attempts.store.js';
import { UnitOfWorkStore } from './unit-of-work/unit-of-work.store.js';
import { CredentialChangesController } from './users/credential-changes.controller.js';
import { CredentialChangesStore } from './users/credential-changes.store.js';
import { UserAccount } from './users/user-account.entity.js';
import { UsersStore } from './users/users.store.js';

@Module({
  imports: [
    DatabaseModule.forRoot({
      migrations,
      entities: [UserAccount, OAuthClient, SigningKeyRow, AuditEvent],
      // Nearly every statement finds rows by key.
      plans: 'generic',
    }),
  ],
  controllers: [
    DiscoveryController,
    LoginPagesController,
    AccountController,
    LinkPagesController,
    DirectLoginController,
    CredentialChangesController,
    TokenCheckController,
    AdminUsersController,
    AdminClientsController,
    AdminGrantsController,
    AdminSigningKeysController,
    AdminAuditController,
  ],
  providers: [
    AppEvents,
    {
      provide: SealedText,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => new SealedText(config.STORAGE_KEYS),
    },
    // Users, clients and what they did
    UsersStore,
    CredentialChangesStore,
    ClientRecords,
    ClientsStore,
    UnitOfWorkStore,
    AuditStore,
    AuditLog,
    // Keys and the OpenID provider
    SigningKeysStore,
    SigningKeys,
    SignedTokens,
    PayloadsStore,
    UserPayloadsStore,
    RefreshReuse,
    LogoutCallsStore,
    LogoutCalls,
    CurrentProvider,
    LiveAccessTokens,
    // Callers of the administration and account APIs
    {
      provide: CallerAuth,
      inject: [AppConfig, LiveAccessTokens],
      useFactory: ({ SERVICE_TOKENS }: AppConfig, tokens: LiveAccessTokens) =>
        new CallerAuth({
          // Not the name for which services have tokens to call the internal paths: those may not administer.
          serviceName: 'identity-admin',
          SERVICE_TOKENS,
          roles: userRoles,
          userTokens: tokens.of(platformResource.identity),
        }),
    },
    // Login
    AttemptsStore,
    KnownBrowsers,
    PasswordHashing,
    LoginThrottle,
    PasswordLogin,
    SecondFactorsStore,
    SecondFactors,
    AccountLinksStore,
    AccountLinks,
    MailDelivery,
    LoginPages,
    DirectLogin,
    OwnAccount,
    AccountVisits,
    AccountPages,
    TwoFactorPages,
    LinkPages,
    // Operators and upkeep
    Users,
    Clients,
    Grants,
    AuditEvents,
    Retention,
  ],
})
export class AppModule {}
