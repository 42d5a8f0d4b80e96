// Access to a service under @Callers(), with a pretend issuer whose keys a test can rotate and take away.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { DpopKey, withClockOff } from '@tradewind/testkit';
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';
import {
  Administrators,
  Author,
  Caller,
  CallerAuthModule,
  callerAuthSettings,
  Callers,
  CompanyAdministrators,
  CompanyCallers,
  configClass,
  ConfigError,
  defineService,
  startService,
  Users,
  type CallerIdentity,
  type ChangeAuthor,
  type RunningService,
} from '../src/index.js';

class GuardedConfig extends configClass({ ...callerAuthSettings }) {}

@Callers()
@Controller('who')
class WhoController {
  @Get()
  who(@Caller() caller: CallerIdentity) {
    return caller;
  }
}

@CompanyCallers()
@Controller('of-a-company')
class CompanyController {
  @Get()
  who(@Caller() caller: CallerIdentity) {
    return caller;
  }
}

@Controller()
class AdministrationController {
  @Administrators()
  @Get('administration')
  all(@Author() author: ChangeAuthor) {
    return author;
  }

  @CompanyAdministrators()
  @Get('administration/of-a-company')
  ofCompany(@Author() author: ChangeAuthor) {
    return author;
  }

  @Users()
  @Get('own')
  own(@Author() author: ChangeAuthor) {
    return author;
  }
}

@Module({
  imports: [CallerAuthModule],
  controllers: [WhoController, CompanyController, AdministrationController],
})
class GuardedModule {}

const guardedService = defineService({ name: 'guarded', config: GuardedConfig, module: GuardedModule });

class PretendIssuer {
  private readonly server: Server;
  private keys: { jwk: JWK; privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] }[] = [];
  isAway = false;
  readCount = 0;

  constructor() {
    this.server = createServer((request, response) => {
      if (this.isAway || request.url !== '/oauth/jwks') {
        response.writeHead(this.isAway ? 503 : 404).end();
        return;
      }
      this.readCount += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
    });
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  async start(): Promise<void> {
    await this.rotate();
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }
  async rotate(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${this.keys.length + 1}`, alg: 'RS256', use: 'sig' };
    this.keys = [{ jwk, privateKey }, ...this.keys];
  }
  async sign(claims: JWTPayload, options: { typ?: string; expires?: string; kid?: string } = {}): Promise<string> {
    const { jwk, privateKey } = this.keys[0]!;
    return new SignJWT({ iss: this.url, sub: 'user-1', userRole: 'ANALYST', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: options.kid ?? jwk.kid!, ...(options.typ ? { typ: options.typ } : {}) })
      .setIssuedAt()
      .setExpirationTime(options.expires ?? '5 min')
      .sign(privateKey);
  }
  accessToken(claims: JWTPayload = {}): Promise<string> {
    return this.sign({ aud: 'urn:tradewind:pipelines', ...claims }, { typ: 'at+jwt' });
  }
  directToken(claims: JWTPayload = {}): Promise<string> {
    return this.sign({ aud: this.url, token_use: 'direct', ...claims }, { typ: 'JWT' });
  }
  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

describe('callers', () => {
  const issuer = new PretendIssuer();
  const serviceToken = 'a-service-token-of-some-length';
  let running: RunningService<GuardedConfig>;
  const start = (env: Record<string, string> = {}) =>
    startService(guardedService, {
      env: {
        ENVIRONMENT: 'dev',
        PORT: '0',
        LOG_LEVEL: 'silent',
        OAUTH_ISSUER: issuer.url,
        SERVICE_TOKENS: [
          `older:${'0'.repeat(64)}:guarded`,
          `robot:${sumOf(serviceToken).toUpperCase()}:other+guarded`,
          `bound:${sumOf('token-of-acme')}:guarded:company=acme`,
          `stranger:${sumOf('token-for-others')}:other`,
        ].join(','),
        ...env,
      },
    });
  const who = (token?: string, service = running) =>
    fetch(`${service.url}/who`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

  beforeAll(async () => {
    await issuer.start();
    running = await start();
  });
  afterAll(async () => {
    await running.close();
    await issuer.close();
  });

  it.each(['ANALYST', 'ADMIN'])(
    'lets in a user of role %s with an access token or a direct-login JWT',
    async (userRole) => {
      for (const token of [await issuer.accessToken({ userRole }), await issuer.directToken({ userRole })]) {
        const response = await who(token);
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual({ kind: 'user', userId: 'user-1', role: userRole });
      }
    },
  );

  it('admits a machine with a service token', async () => {
    const response = await who(serviceToken);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ kind: 'service', name: 'robot' });
  });

  it('answers 403 to a service token that is for other services', async () => {
    const response = await who('token-for-others');
    expect([response.status, await response.json()]).toEqual([
      403,
      { message: 'This service token is not for guarded', error: 'Forbidden', statusCode: 403 },
    ]);
  });

  it('admits callers that are bound to a company only where the company is checked', async () => {
    const ofAcme = { user_company_id: 'acme' };
    const tokens = [
      await issuer.accessToken(ofAcme),
      await issuer.directToken({ ...ofAcme, userRole: 'ADMIN' }),
      'token-of-acme',
    ];
    for (const token of tokens) {
      const refused = await who(token);
      expect([refused.status, await refused.json()]).toEqual([
        403,
        {
          message: 'This caller belongs to one company and may not do what concerns all companies',
          error: 'Forbidden',
          statusCode: 403,
        },
      ]);
      const response = await fetch(`${running.url}/of-a-company`, { headers: { authorization: `Bearer ${token}` } });
      expect(await response.json()).toMatchObject({ companyId: 'acme' });
    }
    for (const wrong of ['', 7, null, ['acme']]) {
      expect((await who(await issuer.accessToken({ user_company_id: wrong }))).status).toBe(401);
    }
  });

  it('lets administer an ADMIN and a machine, bound to a company only where the company is checked, and says who it was', async () => {
    const ofAcme = { user_company_id: 'acme' };
    const tokens = {
      admin: await issuer.accessToken({ userRole: 'ADMIN' }),
      analyst: await issuer.accessToken(),
      robot: serviceToken,
      adminOfAcme: await issuer.accessToken({ userRole: 'ADMIN', ...ofAcme }),
      analystOfAcme: await issuer.accessToken(ofAcme),
      robotOfAcme: 'token-of-acme',
    };
    const answersOf = async (path: string) =>
      Promise.all(
        Object.values(tokens).map(async (token) => {
          const response = await fetch(`${running.url}/${path}`, { headers: { authorization: `Bearer ${token}` } });
          const { by, message } = (await response.json()) as { by?: string; message?: string };
          return `${response.status} ${by ?? message}`;
        }),
      );
    const notAdmin = '403 This needs the role ADMIN or a service token';
    const bound = '403 This caller belongs to one company and may not do what concerns all companies';
    const machine = '403 This is for users; a machine has nothing of its own here';
    expect(await answersOf('administration')).toEqual(['200 user-1', notAdmin, '200 robot', bound, notAdmin, bound]);
    expect(await answersOf('administration/of-a-company')).toEqual([
      '200 user-1',
      notAdmin,
      '200 robot',
      '200 user-1',
      notAdmin,
      '200 bound',
    ]);
    expect(await answersOf('own')).toEqual(['200 user-1', '200 user-1', machine, '200 user-1', '200 user-1', machine]);
  });

  it('answers 403 to a user of role USER', async () => {
    for (const token of [
      await issuer.accessToken({ userRole: 'USER' }),
      await issuer.directToken({ userRole: 'USER' }),
    ]) {
      const response = await who(token);
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({
        message: 'The role of this user does not allow this',
        error: 'Forbidden',
        statusCode: 403,
      });
    }
  });

  it('answers 401 to everything else', async () => {
    const stranger = new PretendIssuer();
    await stranger.start();
    const refused: Record<string, string | undefined> = {
      'no credential': undefined,
      'an unknown service token': 'another-service-token',
      'no token at all': '',
      'an ID token': await issuer.sign({ aud: issuer.url }),
      'an access token for another resource': await issuer.accessToken({ aud: issuer.url }),
      'a direct-login JWT for another audience': await issuer.directToken({ aud: 'urn:tradewind:pipelines' }),
      'an access token that claims to be a direct login': await issuer.sign(
        { aud: issuer.url, token_use: 'direct' },
        { typ: 'at+jwt' },
      ),
      'another issuer': await issuer.accessToken({ iss: 'http://elsewhere' }),
      'keys of a stranger': await stranger.accessToken({ iss: issuer.url }),
      'an expired token': await issuer.sign({ aud: 'urn:tradewind:pipelines' }, { typ: 'at+jwt', expires: '-1 min' }),
      'an unsigned token': `${base64url({ alg: 'none', typ: 'at+jwt' })}.${base64url({ iss: issuer.url, sub: 'x', aud: 'urn:tradewind:pipelines' })}.`,
      'a changed token': (await issuer.accessToken()).replace(/\.[^.]+\./, `.${base64url({ userRole: 'ADMIN' })}.`),
    };
    const statuses = await Promise.all(
      Object.entries(refused).map(async ([name, token]) => {
        const response = await who(token);
        const body = (await response.json()) as Record<string, unknown>;
        return [name, response.status, body['error'], response.headers.get('www-authenticate')?.slice(0, 6)];
      }),
    );
    expect(statuses).toEqual(Object.keys(refused).map((name) => [name, 401, 'Unauthorized', 'Bearer']));
    await stranger.close();
  });

  it('accepts a new signing key at once, and still the old one', async () => {
    const old = await issuer.accessToken();
    expect((await who(old)).status).toBe(200);
    await issuer.rotate();
    // The keys may be read again only a moment after the last reading.
    await withClockOff(2100, async () => expect((await who(await issuer.accessToken())).status).toBe(200));
    expect((await who(old)).status).toBe(200);
  });

  // Tokens live for 5 minutes, proofs for 60 s; clocks may differ by 5 s.
  const ahead = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  const madeBy = (offsetSeconds: number) => withClockOff(offsetSeconds * 1000, () => issuer.accessToken());
  it.each<[string, number, () => Promise<string>]>([
    ['an issuer that is 2 s ahead', 200, () => madeBy(2)],
    ['an issuer that is 2 s behind', 200, () => madeBy(-2)],
    ['a token that has expired 2 s ago', 200, () => madeBy(-302)],
    ['a token that has expired 7 s ago', 401, () => madeBy(-307)],
    ['a token that begins in 2 s', 200, () => issuer.accessToken({ nbf: ahead(2) })],
    ['a token that begins in 7 s', 401, () => issuer.accessToken({ nbf: ahead(7) })],
  ])('tolerates clocks that differ a little: %s is answered with %i', async (_name, status, token) => {
    expect((await who(await token())).status).toBe(status);
  });

  it.each([
    [2, 200],
    [7, 401],
    [-62, 200],
    [-67, 401],
  ])(
    'tolerates clients whose clocks differ a little: a proof made %i s ahead is answered with %i',
    async (s, status) => {
      const key = new DpopKey();
      const token = await issuer.accessToken({ cnf: { jkt: key.thumbprint } });
      const url = `${running.url}/who`;
      const proof = key.proof({ method: 'GET', url }, token, { iat: ahead(s) });
      const response = await fetch(url, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
      expect(response.status).toBe(status);
    },
  );

  it('refuses a proof whose key is none', async () => {
    const token = await issuer.accessToken({ cnf: { jkt: new DpopKey().thumbprint } });
    for (const jwk of [
      { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
      { kty: 'EC', crv: 'P-256', x: 1, y: 2 },
    ]) {
      const parts = [
        { typ: 'dpop+jwt', alg: 'ES256', jwk },
        { jti: 'x', iat: ahead(0) },
      ].map(base64url);
      const headers = { authorization: `DPoP ${token}`, dpop: [...parts, 'A'.repeat(86)].join('.') };
      const response = await fetch(`${running.url}/who`, { headers });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_dpop_proof"'),
      ]);
    }
  });

  it('reads the keys rarely, however many unknown key ids arrive', async () => {
    const before = issuer.readCount;
    for (let i = 0; i < 20; i++) await who(await issuer.sign({}, { typ: 'at+jwt', kid: `unknown-${i}` }));
    expect(issuer.readCount - before).toBeLessThanOrEqual(2);
  });

  it('uses the keys it has while the issuer is away, and answers 503 without any', async () => {
    const token = await issuer.accessToken();
    const fresh = await start();
    try {
      issuer.isAway = true;
      expect((await who(token)).status).toBe(200);
      const response = await who(token, fresh);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: 'Service Unavailable', statusCode: 503 });
      expect((await who(serviceToken, fresh)).status).toBe(200);
      issuer.isAway = false;
      expect((await who(token, fresh)).status).toBe(200);
    } finally {
      issuer.isAway = false;
      await fresh.close();
    }
  });

  it('admits everybody where CALLER_AUTH is none, which only dev allows', async () => {
    const open = await start({ CALLER_AUTH: 'none' });
    expect(await (await who(undefined, open)).json()).toEqual({ kind: 'none' });
    expect((await fetch(`${open.url}/of-a-company`)).status).toBe(200);
    await open.close();
    for (const environment of ['staging', 'production']) {
      await expect(start({ CALLER_AUTH: 'none', ENVIRONMENT: environment })).rejects.toThrow(ConfigError);
    }
  });
});

const sumOf = (token: string): string => createHash('sha256').update(token).digest('hex');

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
