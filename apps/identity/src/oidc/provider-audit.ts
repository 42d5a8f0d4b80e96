// Which events of the provider are audited, and under which names.
import { LRUCache } from 'lru-cache';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuditLog } from '../audit/audit-log.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { authorOf } from './policy/author.js';
import { sessionReference } from './session-reference.js';

/** A replica writes the last use of a client or grant at most once an hour. */
const notedMs = 3_600_000;
const notedMax = 10_000;

export function auditProviderEvents(provider: Provider, audit: AuditLog): void {
  const record = (event: string, ctx: KoaContextWithOIDC, details?: Record<string, unknown>): void => {
    const { client, account } = ctx.oidc;
    audit.record({ event, clientId: client?.clientId, userId: account?.accountId, details });
  };

  const noted = new LRUCache<string, true>({ max: notedMax, ttl: notedMs });
  const noteUse = (clientId: string): void => {
    if (noted.has(clientId)) return;
    const { usedClients, afterwards } = unitOfWork();
    usedClients.add(clientId);
    afterwards.push(() => noted.set(clientId, true));
  };

  // What its user sees as the last use. A grant that is new is not written again.
  const noteGrant = ({ jti, iat }: { jti: string; iat: number }): void => {
    if (Date.now() - iat * 1000 < notedMs || noted.has(`grant ${jti}`)) return;
    const { usedGrants, afterwards } = unitOfWork();
    usedGrants.add(jti);
    afterwards.push(() => noted.set(`grant ${jti}`, true));
  };

  provider.on('grant.success', (ctx) => {
    const grantType = ctx.oidc.params?.['grant_type'];
    if (ctx.oidc.client) noteUse(ctx.oidc.client.clientId);
    if (ctx.oidc.entities.Grant) noteGrant(ctx.oidc.entities.Grant);
    record('token.issued', ctx, { grant_type: grantType });
  });
  provider.on('grant.revoked', (ctx, grantId) => {
    const source = ctx.oidc.entities.RefreshToken ?? ctx.oidc.entities.AuthorizationCode;
    const { client } = ctx.oidc;
    audit.record({
      event: 'grant.revoked',
      clientId: client?.clientId,
      userId: source?.accountId ?? ctx.oidc.session?.accountId,
      details: { grant_id: grantId, by: authorOf(ctx), via: ctx.oidc.route },
    });
  });
  provider.on('end_session.success', (ctx) => {
    const { params, session, client } = ctx.oidc;
    if (!params?.['logout'] || session?.accountId === undefined) return;
    audit.record({
      event: 'session.ended',
      userId: session.accountId,
      clientId: client?.clientId,
      details: { by: session.accountId, via: 'sign_out', session: sessionReference(session.uid) },
    });
  });
  provider.on('access_token.destroyed', (token) => {
    const { clientId, accountId: userId } = token;
    // Only its client revokes a token.
    audit.record({ event: 'token.revoked', clientId, userId, details: { by: clientId, via: 'revocation' } });
  });
  provider.on('registration_create.success', (ctx, client) =>
    record('client.registered', ctx, {
      ...{ by: client.clientId, via: 'registration' },
      ...{ client_id: client.clientId, redirect_uris: client.redirectUris },
    }),
  );
  const byItself = (ctx: KoaContextWithOIDC) => ({ by: authorOf(ctx), via: 'registration' });
  provider.on('registration_update.success', (ctx) => record('client.updated', ctx, byItself(ctx)));
  provider.on('registration_delete.success', (ctx) => record('client.deleted', ctx, byItself(ctx)));
}
