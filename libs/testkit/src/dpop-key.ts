// A client's key for DPoP (RFC 9449): tokens are bound to its thumbprint, and it signs a proof for each request.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

export class DpopKey {
  private readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly jwk = this.pair.publicKey.export({ format: 'jwk' });

  /** For the claim `cnf.jkt` of a token (RFC 7638). */
  get thumbprint(): string {
    const { crv, kty, x, y } = this.jwk;
    return sha256(JSON.stringify({ crv, kty, x, y }));
  }

  /** @param claims replace what they name */
  proof(request: { method: string; url: string }, token?: string, claims: Record<string, unknown> = {}): string {
    const parts = [
      { typ: 'dpop+jwt', alg: 'ES256', jwk: this.jwk },
      {
        jti: randomUUID(),
        htm: request.method,
        htu: request.url.split('?', 1)[0],
        iat: Math.floor(Date.now() / 1000),
        ...(token === undefined ? {} : { ath: sha256(token) }),
        ...claims,
      },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const key = { key: this.pair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return [...parts, sign('sha256', Buffer.from(parts.join('.')), key).toString('base64url')].join('.');
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
