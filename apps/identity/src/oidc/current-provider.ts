// The OpenID provider in use. The library's keys are fixed when it is constructed, so a rotation makes a new instance.
// Requests in progress finish on the old one.
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable, Logger } from '@tradewind/service-kit';
import Provider from 'oidc-provider';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { ClientRecords } from '../clients/client-records.js';
import { ClientsStore } from '../clients/clients.store.js';
import { AppEvents } from '../events.js';
import { SignedTokens } from '../signing-keys/signed-tokens.js';
import { SigningKeys } from '../signing-keys/signing-keys.service.js';
import type { KeySet } from '../signing-keys/signing-key.entity.js';
import { AttemptsStore } from '../throttle/attempts.store.js';
import { UnitOfWorkStore } from '../unit-of-work/unit-of-work.store.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import { LogoutCalls } from './logout-calls.js';
import { middleware } from './middleware/middleware.js';
import { AccessTokenAdapter } from './payloads/access-token-adapter.js';
import { ClientAdapter } from './payloads/client-adapter.js';
import { PayloadAdapter } from './payloads/payload-adapter.js';
import { PayloadsStore } from './payloads/payloads.store.js';
import { auditProviderEvents } from './provider-audit.js';
import { providerConfiguration } from './provider-configuration.js';
import { RefreshReuse } from './middleware/refresh-reuse.js';

type Callback = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

@Injectable()
export class CurrentProvider {
  readonly clients: ClientAdapter;
  private readonly accessTokens: AccessTokenAdapter;
  private instance: { provider: Provider; callback: Callback } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly units: UnitOfWorkStore,
    private readonly payloads: PayloadsStore,
    private readonly users: UsersStore,
    private readonly refreshReuse: RefreshReuse,
    private readonly attempts: AttemptsStore,
    private readonly audit: AuditLog,
    private readonly logger: Logger,
    private readonly logoutCalls: LogoutCalls,
    clients: ClientsStore,
    clientRecords: ClientRecords,
    tokens: SignedTokens,
    events: AppEvents,
    signingKeys: SigningKeys,
  ) {
    this.clients = new ClientAdapter(clients, clientRecords);
    this.accessTokens = new AccessTokenAdapter(payloads, tokens);
    signingKeys.onChange((keySet) => {
      const provider = this.build(keySet);
      this.instance = { provider, callback: provider.callback() };
      events.emit('key_set_changed', { kid: keySet.current.kid });
    });
  }

  get provider(): Provider {
    return this.loaded.provider;
  }

  /** Answers a request; resolves when the response is finished. */
  get callback(): Callback {
    return this.loaded.callback;
  }

  async findUser(id: string): Promise<User | undefined> {
    const { users } = unitOfWork();
    if (!users.has(id)) users.set(id, await this.users.findById(id));
    return users.get(id);
  }

  private get loaded(): { provider: Provider; callback: Callback } {
    if (!this.instance) throw new Error('the signing keys are not loaded yet');
    return this.instance;
  }

  private build(keySet: KeySet): Provider {
    const { config, clients, accessTokens, payloads, units, refreshReuse, attempts, audit, logger } = this;
    const provider = new Provider(
      config.OAUTH_ISSUER,
      providerConfiguration({
        config,
        keySet,
        clients,
        accessTokens,
        rowsOf: (model) => new PayloadAdapter(model, payloads),
        findUser: (id) => this.findUser(id),
        logoutCalls: this.logoutCalls,
      }),
    );
    rememberAccessTokens(provider);
    // Endpoint addresses come from the issuer: provider-routes.ts overwrites the forwarded headers that this trusts.
    provider.proxy = true;
    const needs = { config, provider, units, payloads, accessTokens, refreshReuse, attempts, audit, logger };
    for (const one of middleware(needs)) provider.use(one);
    auditProviderEvents(provider, audit);
    provider.on('server_error', (_ctx, error) => {
      if (isDatabaseUnavailable(error)) unitOfWork().storeFailure = error;
      else logger.error({ err: error }, 'the OpenID provider failed');
    });
    // Without a listener Koa writes a stack to the console, past the logger, for each client that breaks off. The
    // provider's types lack this event of Koa.
    (provider as EventEmitter).on('error', (error: unknown, ctx?: { req: IncomingMessage }) => {
      if (ctx?.req.socket.destroyed) logger.debug({ err: error }, 'a client broke off its request');
      else logger.error({ err: error }, 'an answer of the OpenID provider failed');
    });
    return provider;
  }
}

/**
 * The ID token contains a hash of the access token. The provider has no option for this in the code flow. No event or
 * customizer receives the signed token; only the caller of `save` does.
 */
function rememberAccessTokens({ AccessToken }: Provider): void {
  const prototype = AccessToken.prototype as { save: (this: object) => Promise<string> };
  const { save } = prototype;
  prototype.save = async function () {
    const value = await save.call(this);
    unitOfWork().issuedAccessToken = value;
    return value;
  };
}
