// A fake identity service: log-in and JWKS over HTTP, with keys that can be rotated and a switch that takes it away.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { AccessTokenCheck, CredentialChangesPage } from '@tradewind/shared-types';

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  jwk: Record<string, unknown>;
}

export const serviceToken = 'service-token-of-the-gateway';

export interface TestUser {
  id: string;
  email: string;
  password: string;
}

export class IdentityServer {
  readonly users: TestUser[] = [];
  /** Status to answer log-ins with instead of judging them. */
  loginStatus: number | undefined;
  /** `Retry-After` of those answers. */
  loginRetryAfter: string | undefined;
  /** `X-Forwarded-For` of the last log-in. */
  loginForwardedFor: string | string[] | undefined;
  jwksReads = 0;
  /** Status to answer /auth/me with instead of judging the JWT. */
  meStatus: number | undefined;
  /** Access tokens that were revoked. */
  readonly revokedTokens = new Set<string>();
  /** Called after /auth/me or the check of an access token has judged it, and before it answers. */
  afterMe: (() => Promise<unknown>) | undefined;
  /** What /internal/credential-changes answers; a position is an index plus one. Undefined: it answers 503. */
  changes: { user_id: string; credentials_version: number; changed_at: string }[] | undefined = [];
  /** Changes of one page. */
  changesPageSize = 2;
  changesReads = 0;
  private readonly versions = new Map<string, number>();
  private keys: SigningKey[] = [newKey()];
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/oauth/jwks') {
        this.jwksReads += 1;
        return answer(200, { keys: this.keys.map(({ jwk }) => jwk) });
      }
      if (request.url === '/auth/me') return void this.me(request).then((status) => answer(status, {}));
      if (request.url === '/internal/access-tokens/check') {
        if (request.headers.authorization !== `Bearer ${serviceToken}`) return answer(401, {});
        return void this.check(request).then((check) => answer(this.meStatus ?? 200, check));
      }
      if (request.url?.startsWith('/internal/credential-changes?')) {
        this.changesReads += 1;
        if (request.headers.authorization !== `Bearer ${serviceToken}`) return answer(401, {});
        return this.changes ? answer(200, this.changesPage(request.url)) : answer(503, {});
      }
      if (request.url !== '/auth/login' || request.method !== 'POST') return answer(404, {});
      this.loginForwardedFor = request.headers['x-forwarded-for'];
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { email, password } = JSON.parse(Buffer.concat(chunks).toString()) as { email: string; password: string };
        if (this.loginRetryAfter !== undefined) response.setHeader('retry-after', this.loginRetryAfter);
        if (this.loginStatus)
          return answer(this.loginStatus, { message: 'no', error: 'no', statusCode: this.loginStatus });
        const user = this.users.find((each) => each.email === email && each.password === password);
        if (!user) return answer(401, { message: 'Invalid credentials', error: 'Unauthorized', statusCode: 401 });
        return answer(200, { token: this.token(user), user: { id: user.id, email } });
      });
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  addUser(): TestUser {
    const user = { id: randomUUID(), email: `${randomUUID()}@example.com`, password: 'a long password' };
    this.users.push(user);
    return user;
  }

  /** Acts as after a new password, disabling or deletion: refuses earlier tokens, and lists the change. */
  endCredentials(user: { id: string }): void {
    const version = this.versionOf(user.id) + 1;
    this.versions.set(user.id, version);
    const change = { user_id: user.id, credentials_version: version, changed_at: new Date().toISOString() };
    this.changes = [...(this.changes ?? []), change];
  }

  private versionOf(userId: string): number {
    return this.versions.get(userId) ?? 1;
  }

  private async me(request: IncomingMessage): Promise<number> {
    const claims = JSON.parse(
      Buffer.from(request.headers.authorization?.split('.')[1] ?? '', 'base64url').toString(),
    ) as { sub: string; credentials_version: number };
    const status = this.meStatus ?? (claims.credentials_version === this.versionOf(claims.sub) ? 200 : 401);
    await this.afterMe?.();
    return status;
  }

  private async check(request: IncomingMessage): Promise<AccessTokenCheck> {
    let body = '';
    for await (const part of request) body += String(part);
    const { token } = JSON.parse(body) as { token: string };
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
      email: string;
      credentials_version: number;
      user_company_id?: string;
    };
    const version = this.versionOf(claims.sub);
    const isActive = !this.revokedTokens.has(token) && claims.credentials_version === version;
    await this.afterMe?.();
    if (!isActive) return { active: false };
    return {
      active: true,
      user_id: claims.sub,
      email: claims.email,
      user_company_id: claims.user_company_id ?? null,
      credentials_version: version,
    };
  }

  private changesPage(url: string): CredentialChangesPage {
    const after = Number(new URL(url, this.url).searchParams.get('after'));
    const all = this.changes ?? [];
    const changes = all.slice(after, after + this.changesPageSize);
    return { changes, cursor: String(after + changes.length), last: String(all.length) };
  }

  /** A new key signs from now on; the old ones stay in the JWKS unless dropped. */
  rotate(options: { dropOld?: boolean } = {}): void {
    this.keys = [newKey(), ...(options.dropOld ? [] : this.keys)];
  }

  /** A direct-login JWT as the identity service signs it; `claims` and `header` replace what they name. */
  token(
    user: { id: string; email: string },
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
  ): string {
    const [key] = this.keys;
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.url,
      aud: this.url,
      sub: user.id,
      email: user.email,
      userRole: 'USER',
      token_use: 'direct',
      credentials_version: this.versionOf(user.id),
      iat: now,
      exp: now + 900,
      ...claims,
    };
    return signed(key!, payload, header);
  }

  /** An access token for the data resource. Its version says with which credentials the user signed in. */
  dataToken(user: { id: string; email: string }, claims: Record<string, unknown> = {}): string {
    return this.token(user, { token_use: undefined, aud: 'urn:tradewind:data', ...claims }, { typ: 'at+jwt' });
  }

  /** A token signed with a key that no JWKS has, under the id of one that it has. */
  forgedToken(user: { id: string; email: string }): string {
    const own = this.keys[0]!;
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.url,
      aud: this.url,
      sub: user.id,
      email: user.email,
      token_use: 'direct',
      iat: now,
      exp: now + 900,
    };
    return signed({ ...newKey(), kid: own.kid }, payload);
  }
}

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomUUID();
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

function signed(key: SigningKey, payload: object, header: Record<string, unknown> = {}): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header })}.${encode(payload)}`;
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), key.privateKey).toString('base64url')}`;
}
