// Which of the provider's acts are audited, and under which names.
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuditLog } from '../audit/audit-log.js';
import { currentUnitOfWork } from '../unit-of-work/unit-of-work.js';

/** For so long, this replica does not note again that a client is in use; of so many clients it knows. */
const notedMs = 3_600_000;
const notedMax = 10_000;

export function auditProviderEvents(provider: Provider, audit: AuditLog): void {
  // Inside a request, recording only adds to the request's unit and cannot fail.
  const record = (event: string, ctx: KoaContextWithOIDC, details?: Record<string, unknown>): void => {
    const { client, account } = ctx.oidc;
    void audit.record({ event, clientId: client?.clientId, userId: account?.accountId, details });
  };

  // The column is read by the day.
  const noted = new Map<string, number>();
  const noteUse = (clientId: string): void => {
    const unit = currentUnitOfWork();
    if (!unit || Date.now() - (noted.get(clientId) ?? 0) < notedMs) return;
    unit.usedClients.add(clientId);
    unit.afterwards.push(() => {
      if (noted.size >= notedMax) noted.clear();
      noted.set(clientId, Date.now());
    });
  };

  provider.on('grant.success', (ctx) => {
    const grantType = ctx.oidc.params?.['grant_type'];
    if (ctx.oidc.client) noteUse(ctx.oidc.client.clientId);
    record('token.issued', ctx, { grant_type: grantType });
  });
  provider.on('grant.revoked', (ctx, grantId) => {
    const source = ctx.oidc.entities.RefreshToken ?? ctx.oidc.entities.AuthorizationCode;
    const { client } = ctx.oidc;
    void audit.record({
      event: 'grant.revoked',
      clientId: client?.clientId,
      userId: source?.accountId,
      details: { grant_id: grantId, by: ctx.oidc.route },
    });
  });
  provider.on('access_token.destroyed', (token) => {
    void audit.record({ event: 'token.revoked', clientId: token.clientId, userId: token.accountId });
  });
  provider.on('registration_create.success', (ctx, client) =>
    record('client.registered', ctx, { client_id: client.clientId, redirect_uris: client.redirectUris }),
  );
  provider.on('registration_update.success', (ctx) => record('client.updated', ctx));
  provider.on('registration_delete.success', (ctx) => record('client.deleted', ctx));
}
