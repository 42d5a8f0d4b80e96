import type { KoaContextWithOIDC } from 'oidc-provider';

/** Who makes a change over the endpoints of OAuth: the user of the browser, or else the client that asks for itself. */
export function authorOf({ oidc: { session, client } }: Pick<KoaContextWithOIDC, 'oidc'>): string | null {
  return session?.accountId ?? client?.clientId ?? null;
}
