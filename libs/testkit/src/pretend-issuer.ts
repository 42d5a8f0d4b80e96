// An identity service as far as callers are concerned: keys at /oauth/jwks, tokens signed with them, and what it says
// of those that were revoked.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class PretendIssuer {
  private constructor(
    private readonly server: Server,
    private readonly privateKey: KeyObject,
    private readonly revoked: Set<string>,
  ) {}

  static async start(): Promise<PretendIssuer> {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keys = JSON.stringify({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }],
    });
    const revoked = new Set<string>();
    const server = createServer((request, response) => {
      let form = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (form += part));
      request.on('end', () => {
        const isActive = (token: unknown) => !revoked.has(String(token));
        const answer = (status: number, body: string) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(body);
        switch (request.url) {
          case '/oauth/token/introspection':
            return answer(200, JSON.stringify({ active: isActive(new URLSearchParams(form).get('token')) }));
          case '/internal/access-tokens/check':
            return answer(200, JSON.stringify({ active: isActive((JSON.parse(form) as { token: string }).token) }));
          case '/auth/me':
            return answer(isActive(request.headers.authorization?.split(' ')[1]) ? 200 : 401, '{}');
          default:
            return answer(200, keys);
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PretendIssuer(server, privateKey, revoked);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** An access token for the pipelines, of an analyst, unless the claims say otherwise. */
  accessToken(claims: Record<string, unknown> = {}): string {
    return this.sign({ aud: 'urn:tradewind:pipelines', userRole: 'ANALYST', ...claims }, 'at+jwt');
  }

  directToken(claims: Record<string, unknown> = {}): string {
    return this.sign({ aud: this.url, token_use: 'direct', userRole: 'ADMIN', ...claims }, 'JWT');
  }

  /** From now on identity says that the token is not active; its signature stays good. */
  revoke(token: string): string {
    this.revoked.add(token);
    return token;
  }

  /** An access token that anybody can make. */
  unsignedToken(claims: Record<string, unknown> = {}): string {
    const [, payload = ''] = this.accessToken(claims).split('.');
    return `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private sign(claims: Record<string, unknown>, typ: string): string {
    const now = Math.floor(Date.now() / 1000);
    const parts = [
      { alg: 'RS256', kid: 'k', typ },
      { iss: this.url, sub: 'user-1', iat: now, exp: now + 300, ...claims },
    ].map(encoded);
    const signature = sign('RSA-SHA256', Buffer.from(parts.join('.')), this.privateKey).toString('base64url');
    return [...parts, signature].join('.');
  }
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
