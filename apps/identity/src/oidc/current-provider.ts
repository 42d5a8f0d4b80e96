// The OpenID provider in use. The library's keys are fixed when it is constructed, so a rotation makes a new instance.
// Requests in progress finish on the old one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable, Logger } from '@tradewind/service-kit';
import Provider, { type AdapterPayload } from 'oidc-provider';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { ClientRecords } from '../clients/client-records.js';
import { ClientsStore } from '../clients/clients.store.js';
import type { ClientRights } from '../clients/oauth-client.entity.js';
import { AppEvents } from '../events.js';
import { ErrorPages } from '../pages/error-pages.js';
import { SignedTokens } from '../signing-keys/signed-tokens.js';
import { SigningKeys } from '../signing-keys/signing-keys.service.js';
import type { KeySet } from '../signing-keys/signing-keys.types.js';
import { AttemptsStore } from '../throttle/attempts.store.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import { AccessTokenAdapter } from './payloads/access-token-adapter.js';
import { ClientAdapter } from './payloads/client-adapter.js';
import { PayloadAdapter } from './payloads/payload-adapter.js';
import { PayloadsStore } from './payloads/payloads.store.js';
import { auditProviderEvents } from './provider-audit.js';
import { providerConfiguration } from './provider-configuration.js';
import { middleware } from './middleware/middleware.js';
import { RefreshReuse } from './refresh-reuse.js';
import { UnitOfWorkStore } from '../unit-of-work/unit-of-work.store.js';
import { currentUnitOfWork } from '../unit-of-work/unit-of-work.js';

type Callback = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

@Injectable()
export class CurrentProvider {
  private instance: { provider: Provider; callback: Callback } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly units: UnitOfWorkStore,
    private readonly payloads: PayloadsStore,
    private readonly clients: ClientsStore,
    private readonly clientRecords: ClientRecords,
    private readonly users: UsersStore,
    private readonly refreshReuse: RefreshReuse,
    private readonly attempts: AttemptsStore,
    private readonly tokens: SignedTokens,
    private readonly audit: AuditLog,
    private readonly events: AppEvents,
    private readonly errorPages: ErrorPages,
    private readonly logger: Logger,
    signingKeys: SigningKeys,
  ) {
    signingKeys.onChange((keySet) => {
      const provider = this.build(keySet);
      // The callback resolves when the response is finished.
      this.instance = { provider, callback: provider.callback() };
      this.events.emit('key_set_changed', { kid: keySet.current.kid });
    });
  }

  get provider(): Provider {
    if (!this.instance) throw new Error('the signing keys are not loaded yet');
    return this.instance.provider;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.instance) throw new Error('the signing keys are not loaded yet');
    await this.instance.callback(request, response);
  }

  private build(keySet: KeySet): Provider {
    const rows = new Map<string, PayloadAdapter>();
    const rowsOf = (model: string): PayloadAdapter => {
      const adapter = rows.get(model) ?? new PayloadAdapter(model, this.payloads, this.units);
      rows.set(model, adapter);
      return adapter;
    };
    const accessTokens = new AccessTokenAdapter(rowsOf('AccessToken'), this.tokens);
    const provider = new Provider(
      this.config.OAUTH_ISSUER,
      providerConfiguration({
        config: this.config,
        keySet,
        adapter: (model: string) => {
          if (model === 'Client') return new ClientAdapter(this.clients, this.clientRecords, this.units);
          return model === 'AccessToken' ? accessTokens : rowsOf(model);
        },
        findUser: (id) => this.findUser(id),
        issuedAccessToken: () => currentUnitOfWork()?.issuedAccessToken,
        rightsOf: (clientId) => this.rightsOf(clientId),
        // The provider awaits this before it signs the token; the row is stored before the response leaves.
        storeAccessToken: async (_ctx, token, { payload }) => {
          await accessTokens.upsert(payload['jti'] as string, accessTokenRow(token, payload), token.remainingTTL);
        },
        renderError: (ctx, out, error) => this.errorPages.render(ctx, out, error),
      }),
    );
    rememberAccessTokens(provider);
    // Endpoint addresses come from the issuer: provider-routes.ts overwrites the forwarded headers that this trusts.
    provider.proxy = true;
    for (const one of middleware({
      config: this.config,
      provider,
      units: this.units,
      payloads: this.payloads,
      accessTokens,
      rowsOf,
      refreshReuse: this.refreshReuse,
      attempts: this.attempts,
      audit: this.audit,
      errorPages: this.errorPages,
      logger: this.logger,
    })) {
      provider.use(one);
    }
    auditProviderEvents(provider, this.audit);
    provider.on('server_error', (_ctx, error) => {
      const unit = currentUnitOfWork();
      if (unit && isDatabaseUnavailable(error)) unit.storeFailure = error;
      else this.logger.error({ err: error }, 'the OpenID provider failed');
    });
    return provider;
  }

  /** What others decided about the client; a client that has just been deleted has no rights. */
  async rightsOf(clientId: string): Promise<ClientRights> {
    const known =
      currentUnitOfWork()?.clientRights.get(clientId) ?? (await this.clients.findMetadata(clientId))?.rights;
    return known ?? { origin: 'registration', resources: [] };
  }

  private async findUser(id: string): Promise<User | undefined> {
    const unit = currentUnitOfWork();
    if (unit?.users.has(id)) return unit.users.get(id);
    const user = await this.users.findById(id);
    unit?.users.set(id, user);
    return user;
  }
}

/**
 * The ID token contains a hash of the access token. The provider has no option for this in the code flow, and no event
 * or customizer receives the signed token: only the caller of `save` does.
 */
function rememberAccessTokens({ AccessToken }: Provider): void {
  const prototype = AccessToken.prototype as { save: (this: object) => Promise<string> };
  const { save } = prototype;
  prototype.save = async function () {
    const value = await save.call(this);
    const unit = currentUnitOfWork();
    if (unit) unit.issuedAccessToken = value;
    return value;
  };
}

/** The row of an access token: everything that the library reads from a stored token. */
function accessTokenRow(token: object, payload: Record<string, unknown>): AdapterPayload {
  const { accountId, clientId, grantId, gty, scope, aud, sessionUid, expiresWithSession, sid, jkt, claims, extra } =
    token as AdapterPayload;
  return {
    kind: 'AccessToken',
    jti: payload['jti'] as string,
    iat: payload['iat'] as number,
    exp: payload['exp'] as number,
    accountId,
    clientId,
    grantId,
    gty,
    scope,
    aud,
    sessionUid,
    expiresWithSession,
    sid,
    jkt,
    claims,
    extra,
  };
}
