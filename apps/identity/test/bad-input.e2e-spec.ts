// Generated requests at every endpoint: wrong types, huge and duplicated parameters, broken UTF-8, path tricks. No
// answer may be a 5xx, show a stack trace or hang. BAD_INPUT_REQUESTS sets the number (10,000 before a release).
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger, startService } from '@tradewind/service-kit';
import fc from 'fast-check';
import { service } from '../src/service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorizationUrl, formOf, makePkce, obtainTokens, UserAgent } from './user-agent.js';

const requestCount = Number(process.env['BAD_INPUT_REQUESTS'] ?? 1500);
const parallel = 25;

/** Paths are raw: they are sent byte by byte. */
interface Attempt {
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer;
}

describe('bad input', () => {
  let identity: Identity;
  let known: string[];
  let loginPath: string;
  let loginCookie: string;
  let signedIn: SignedIn;
  beforeAll(async () => {
    identity = await startIdentity({ PAR: 'on', DPOP: 'true', BODY_LIMIT_BYTES: '65536', LOG_LEVEL: 'silent' });
    const user = await identity.createUser();
    const client = await identity.createClient({ id: 'known-client', secret: 'known-secret' });
    const tokens = await obtainTokens(identity.issuer, {
      client,
      email: user.email,
      password,
      scope: 'openid offline_access',
    });
    known = [
      client.clientId,
      client.clientSecret,
      tokens.access_token,
      tokens.refresh_token,
      tokens.id_token,
      user.email,
      'https://app.example.com/callback',
    ];
    const agent = new UserAgent(identity.issuer);
    const page = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    loginPath = formOf(page, 'submit').action.replace('/submit', '');
    loginCookie = agent.cookieHeader(loginPath);
    const visitor = new UserAgent(identity.issuer);
    const account = await visitor.submit(await visitor.visit('/account'), 'submit', { email: user.email, password });
    signedIn = { cookie: visitor.cookieHeader('/account'), csrf: formOf(account, 'sign-out').hidden['_csrf']! };
  });
  afterAll(() => identity.close());

  it(
    `${requestCount} generated requests are all answered, without a 5xx or a stack trace`,
    async () => {
      const attempts = fc.sample(attempt(known, { loginPath, loginCookie, signedIn }), requestCount);
      const faults: unknown[] = [];
      const statuses = new Map<number, number>();
      const queue = [...attempts];
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          for (let next = queue.pop(); next; next = queue.pop()) {
            const { status, text } = await send(identity.issuer, next);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            const hasTrace = /\n\s+at .*\(?.*:\d+:\d+|node_modules|oidc_payload|syntax error at|pg_catalog/i.test(text);
            if (status === 0 || status >= 500 || hasTrace) {
              faults.push({
                status,
                hasTrace,
                method: next.method,
                path: next.path.slice(0, 200),
                headers: next.headers,
                body: next.body.toString('latin1').slice(0, 300),
                text: text.slice(0, 500),
              });
            }
          }
        }),
      );
      expect(faults).toEqual([]);
      // The generated requests reach the endpoints: the first checks do not refuse all of them. Only answers that every
      // run has dozens of; the rarer ones have tests of their own.
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 303, 400, 401, 404, 405]));
      const alive = await fetch(`${identity.issuer}/.well-known/openid-configuration`);
      expect(alive.status).toBe(200);
    },
    60_000 + requestCount * 40,
  );

  it('a request that a client breaks off is no error, and is not written past the logger', async () => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const lines: string[] = [];
    const logger = createLogger({ service: 'identity', level: 'debug' }, { write: (line) => void lines.push(line) });
    const env = { ENVIRONMENT: 'dev', DATABASE_URL: identity.databaseUrl, OAUTH_ISSUER: identity.issuer };
    const running = await startService(service, { env: { ...env, PORT: '0', METRICS_PORT: '0' }, logger });
    try {
      const socket = net.connect(Number(new URL(running.url).port), '127.0.0.1');
      const type = 'application/x-www-form-urlencoded';
      // It may be reset.
      socket.on('error', () => undefined);
      socket.end(
        `POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n\r\ngrant_type=`,
      );
      while (!lines.some((line) => line.includes('a client broke off its request'))) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      socket.destroy();
    } finally {
      await running.close();
    }
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });
});

const hostileText = (known: string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '',
        '\0',
        'a\0b',
        '%00',
        '%',
        '%zz',
        '\ud800',
        '../../etc/passwd',
        "' or 1=1 --",
        '__proto__',
        'constructor',
        'null',
        '[]',
        '{}',
        '-1',
        '1e999',
        'at~a.b.c',
        'a.b.c',
        'ey.ey.ey',
        'é'.normalize('NFD'),
        '\r\nSet-Cookie: x=1',
        'urn:tradewind:pipelines',
        'openid offline_access',
        'none',
        'consent login',
      ),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: 20_000 }).map((length) => 'x'.repeat(length)) },
  );

const names = [
  'grant_type',
  'code',
  'redirect_uri',
  'client_id',
  'client_secret',
  'code_verifier',
  'refresh_token',
  'scope',
  'resource',
  'token',
  'token_type_hint',
  'client_assertion',
  'client_assertion_type',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'prompt',
  'max_age',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'id_token_hint',
  'login_hint',
  'ui_locales',
  'claims',
  'display',
  'acr_values',
  'access_token',
  'dpop_jkt',
  'xsrf',
  'logout',
  'email',
  'password',
  'new_password',
  'repeated',
  'version',
  'session',
  'application',
  'page',
  'done',
  'error',
  '_csrf',
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'jwks',
  'jwks_uri',
  'application_type',
  'contacts',
  'sector_identifier_uri',
  '__proto__',
];
const goodValues = new Map<string, string[]>(
  Object.entries({
    grant_type: ['authorization_code', 'refresh_token', 'client_credentials', 'urn:x'],
    response_type: ['code', 'token', 'id_token code'],
    code_challenge_method: ['S256', 'plain'],
    code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    response_mode: ['query', 'fragment', 'form_post', 'jwt', 'web_message'],
    prompt: ['none', 'login', 'consent', 'none login', 'select_account'],
    max_age: ['0', '-1', '99999999999999999999', 'x'],
  }),
);

interface SignedIn {
  cookie: string;
  csrf: string;
}

function attempt(
  known: string[],
  { loginPath, loginCookie, signedIn }: { loginPath: string; loginCookie: string; signedIn: SignedIn },
): fc.Arbitrary<Attempt> {
  const text = hostileText(known);
  const field = fc.constantFrom(...names).chain((name) => {
    const good = goodValues.get(name);
    return (good ? fc.oneof(fc.constantFrom(...good), text) : text).map((value): [string, string] => [name, value]);
  });
  const fields = fc.array(field, { maxLength: 12 });
  const encodeForm = (pairs: [string, string][]) =>
    pairs.map(([name, value]) => `${name}=${safeEncode(value)}`).join('&');
  const jsonValue = fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.object({ maxDepth: 2, maxKeys: 3 }),
  );
  const path = fc
    .tuple(
      fc.constantFrom(
        '/',
        '/oauth/auth',
        '/oauth/auth',
        '/oauth/auth',
        '/oauth/auth/x',
        '/oauth/token',
        '/oauth/token',
        '/oauth/token',
        '/oauth/me',
        '/oauth/jwks',
        '/oauth/token/introspection',
        '/oauth/token/revocation',
        '/oauth/reg',
        '/oauth/reg',
        '/oauth/reg/known-client',
        '/oauth/par',
        '/oauth/session/end/confirm',
        '/auth/login',
        '/auth/login',
        '/auth/me',
        loginPath,
        `${loginPath}/submit`,
        `${loginPath}/code`,
        `${loginPath}/passkey`,
        `${loginPath}/set-up`,
        `${loginPath}/confirm`,
        `${loginPath}/switch`,
        `${loginPath}/abort`,
        '/account',
        '/account/signed-in',
        '/account/password',
        '/account/sessions',
        '/account/sessions/end',
        '/account/applications',
        '/account/applications/revoke',
        '/account/set-password',
        '/account/verify-email',
        '/account/two-factor',
        '/account/two-factor/app',
        '/account/two-factor/passkey',
        '/account/two-factor/remove',
        '/.well-known/openid-configuration',
        '/.well-known/oauth-authorization-server',
        '/.well-known/oauth-protected-resource',
        '/health',
        '//oauth/token',
        '/oauth/../oauth/token',
        '/oauth/%74oken',
        '/oauth/reg/%00',
        '/oauth/reg/%ff',
        '/login/%2e%2e',
        '/oauth/auth/%E0%A4%A',
        '/oauth/token;x=1',
        `/login/${'x'.repeat(600)}`,
      ),
      fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('/') }),
      fields,
    )
    .map(([base, slash, query]) => base + slash + (query.length > 0 ? `?${encodeForm(query)}` : ''));
  const body = fc.oneof(
    {
      weight: 4,
      arbitrary: fields.map((pairs) => ({
        type: 'application/x-www-form-urlencoded',
        data: Buffer.from(encodeForm(pairs)),
      })),
    },
    {
      weight: 3,
      arbitrary: fc
        .dictionary(fc.constantFrom(...names), jsonValue, { maxKeys: 8 })
        .map((value) => ({ type: 'application/json', data: Buffer.from(JSON.stringify(value)) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 300 })
        .map((bytes) => ({ type: 'application/json', data: Buffer.from(bytes) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 300 })
        .map((bytes) => ({ type: 'application/x-www-form-urlencoded', data: Buffer.from(bytes) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded; charset=nonsense',
          'multipart/form-data; boundary=x',
          'application/json; charset=utf-16',
          '',
          ';',
        )
        .map((type) => ({ type, data: Buffer.from('a=b') })),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'application/json', data: Buffer.alloc(70_000, '[') }) },
    { weight: 4, arbitrary: fc.constant({ type: '', data: Buffer.alloc(0) }) },
  );
  const header = fc.oneof(
    text.map((value): [string, string] => ['authorization', `Bearer ${value}`]),
    text.map((value): [string, string] => ['authorization', `Basic ${Buffer.from(value).toString('base64')}`]),
    text.map((value): [string, string] => ['authorization', value]),
    text.map((value): [string, string] => ['dpop', value]),
    text.map((value): [string, string] => ['cookie', `_session=${value}; _interaction=${value}; _resume=${value}`]),
    fc.constant<[string, string]>(['cookie', loginCookie]),
    fc.constant<[string, string]>(['cookie', signedIn.cookie]),
    text.map((value): [string, string] => ['origin', value]),
    text.map((value): [string, string] => ['accept-language', value]),
    fc.constantFrom<[string, string]>(
      ['accept', 'text/html'],
      ['accept', 'application/json'],
      ['accept', '*/*'],
      ['accept', 'x'],
      ['host', 'evil.example'],
      ['x-forwarded-host', 'a\tb'],
      ['x-forwarded-proto', 'gopher'],
      ['x-forwarded-for', 'not an address'],
    ),
  );
  // Correct except for one or two fields, so that they pass the first checks.
  const [clientId = '', clientSecret = '', accessToken = '', refreshToken = '', , email = '', redirectUri = ''] = known;
  const client: [string, string][] = [
    ['client_id', clientId],
    ['client_secret', clientSecret],
  ];
  const formOfAccount = (path: string, ...fields: [string, string][]) => ({
    ...{ method: 'POST', path: `/account/${path}`, cookie: signedIn.cookie },
    fields: [['_csrf', signedIn.csrf] as [string, string], ...fields],
  });
  const nearlyRight = fc
    .tuple(
      fc.constantFrom<{ method: string; path: string; fields: [string, string][]; json?: boolean; cookie?: string }>(
        {
          method: 'GET',
          path: '/oauth/auth',
          fields: [
            ['client_id', clientId],
            ['redirect_uri', redirectUri],
            ['response_type', 'code'],
            ['scope', 'openid email offline_access'],
            ['state', 's'],
            ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
            ['code_challenge_method', 'S256'],
          ],
        },
        {
          method: 'POST',
          path: '/oauth/token',
          fields: [['grant_type', 'refresh_token'], ['refresh_token', refreshToken], ...client],
        },
        {
          method: 'POST',
          path: '/oauth/token',
          fields: [
            ['grant_type', 'authorization_code'],
            ['code', 'x'],
            ['redirect_uri', redirectUri],
            ['code_verifier', 'x'.repeat(43)],
            ...client,
          ],
        },
        { method: 'POST', path: '/oauth/token/introspection', fields: [['token', accessToken], ...client] },
        { method: 'POST', path: '/oauth/token/revocation', fields: [['token', 'x'], ...client] },
        {
          method: 'POST',
          path: '/oauth/par',
          fields: [['response_type', 'code'], ['redirect_uri', redirectUri], ['scope', 'openid'], ...client],
        },
        { method: 'GET', path: '/account/sessions', fields: [['page', '2']], cookie: signedIn.cookie },
        { method: 'GET', path: '/account/applications', fields: [['done', 'gone']], cookie: signedIn.cookie },
        formOfAccount('password', ['version', '1'], ['password', 'x'], ['new_password', 'x'], ['repeated', 'x']),
        formOfAccount('sessions/end', ['session', 'x']),
        formOfAccount('applications/revoke', ['application', 'x']),
        formOfAccount('two-factor/app', ['set_up', 'x'], ['code', '000000']),
        formOfAccount('two-factor/passkey', ['set_up', 'x'], ['answer', '{}']),
        formOfAccount('two-factor/remove', ['passkey', 'x']),
        { method: 'POST', path: '/oauth/reg', fields: [['client_name', 'x']], json: true },
        {
          method: 'POST',
          path: '/auth/login',
          fields: [
            ['email', email],
            ['password', 'x'],
          ],
          json: true,
        },
      ),
      fc.array(field, { maxLength: 2 }),
      fc.integer({ min: 0, max: 8 }),
      fc.boolean(),
    )
    .map(([{ method, path: url, fields: right, json, cookie }, changes, dropped, replaces]): Attempt => {
      const kept = right.filter((_, index) => index !== dropped - 1);
      const changed = replaces ? kept.filter(([name]) => !changes.some(([other]) => other === name)) : kept;
      const all = [...changed, ...changes];
      const cookies: [string, string][] = cookie === undefined ? [] : [['cookie', cookie]];
      if (method === 'GET')
        return {
          ...{ method, path: `${url}?${encodeForm(all)}`, body: Buffer.alloc(0) },
          headers: [['accept', 'text/html'], ...cookies],
        };
      if (json) {
        const value = { redirect_uris: url === '/oauth/reg' ? [redirectUri] : undefined, ...Object.fromEntries(all) };
        return {
          method,
          path: url,
          headers: [['content-type', 'application/json']],
          body: Buffer.from(JSON.stringify(value)),
        };
      }
      return {
        method,
        path: url,
        headers: [['content-type', 'application/x-www-form-urlencoded'], ...cookies],
        body: Buffer.from(encodeForm(all)),
      };
    });
  const anything = fc
    .record({
      method: fc.constantFrom(
        'GET',
        'GET',
        'GET',
        'POST',
        'POST',
        'POST',
        'POST',
        'PUT',
        'DELETE',
        'OPTIONS',
        'HEAD',
        'PATCH',
      ),
      path,
      headers: fc.array(header, { maxLength: 4 }),
      body,
    })
    .map(({ method, path: url, headers, body: { type, data } }) => ({
      method,
      path: url,
      headers: [...headers, ...(type ? ([['content-type', type]] as [string, string][]) : [])],
      body: ['GET', 'HEAD', 'OPTIONS'].includes(method) ? Buffer.alloc(0) : data,
    }));
  return fc.oneof({ weight: 2, arbitrary: anything }, { weight: 1, arbitrary: nearlyRight });
}

/** Percent-encodes in most cases; a lone surrogate, which cannot be encoded, is sent as invalid UTF-8. */
function safeEncode(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return '%ED%A0%80';
  }
}

/** Over a plain socket, so that no client corrects the request. */
function send(base: string, { method, path, headers, body }: Attempt): Promise<{ status: number; text: string }> {
  const { hostname, port, host } = new URL(base);
  // Node's own parser refuses bytes that HTTP does not allow in a header: those never reach the service.
  const clean = (value: string) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 6000);
  const lines = [
    `${method} ${path.replace(/[^\x21-\x7e]/g, '').slice(0, 12_000)} HTTP/1.1`,
    ...(headers.some(([name]) => name === 'host') ? [] : [`host: ${host}`]),
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${clean(value)}`),
    ...(body.length > 0 || method === 'POST' || method === 'PUT' ? [`content-length: ${body.length}`] : []),
  ];
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    const timer = setTimeout(end, 20_000);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', end);
    socket.on('error', end);
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
  });
}
