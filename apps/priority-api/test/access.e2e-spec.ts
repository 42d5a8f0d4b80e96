// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { PretendIssuer } from '@tradewind/testkit';
import { envelope, eventually, profiles, pushToken, serviceToken, startApp, type TestApp } from './priority-api-app.js';

type Caller = 'nobody' | 'wrong' | 'service' | 'queue';

const headersOf: Record<Caller, Record<string, string>> = {
  nobody: {},
  wrong: { authorization: 'Bearer not-a-token' },
  service: { authorization: `Bearer ${serviceToken}` },
  queue: { authorization: `Bearer ${pushToken}` },
};

interface Operation {
  method: 'get' | 'post';
  /** As in the OpenAPI document. */
  route: string;
  path: string;
  body?: unknown;
  allowed: Caller;
  /** Status for a caller with a token that is not the right one. */
  refusal: number;
}

const operations: Operation[] = [
  {
    method: 'post',
    route: '/batch-trigger',
    path: '/batch-trigger/',
    body: envelope({ profiles: profiles(1) }),
    allowed: 'queue',
    refusal: 403,
  },
  { method: 'get', route: '/months/{month}', path: '/months/2026-11', allowed: 'service', refusal: 401 },
  {
    method: 'post',
    route: '/months/{month}/profiles/lookup',
    path: '/months/2026-11/profiles/lookup',
    body: { network_usernames: ['a'] },
    allowed: 'service',
    refusal: 401,
  },
  {
    method: 'post',
    route: '/months/{month}/profiles/retry',
    path: '/months/2026-11/profiles/retry',
    body: { profiles: profiles(1) },
    allowed: 'service',
    refusal: 401,
  },
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const send = (url: string, { method, path, body }: Operation, headers: Record<string, string>) =>
  fetch(url + path, {
    method: method.toUpperCase(),
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

describe.each(operations)('$method $route', (operation) => {
  it.each<Caller>(['nobody', 'wrong', 'service', 'queue'])('decides about %s', async (caller) => {
    const response = await send(app.url, operation, headersOf[caller]);
    const expected = caller === operation.allowed ? 200 : caller === 'nobody' ? 401 : operation.refusal;
    expect(response.status).toBe(expected);
    if (expected !== 200)
      expect(Object.keys((await response.json()) as object).sort()).toEqual(['error', 'message', 'statusCode']);
  });
});

describe.each(operations.filter(({ method }) => method === 'post'))('$method $route', ({ path }) => {
  it('answers a body nested 20,000 levels deep with 400', async () => {
    const response = await fetch(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { message: ['body must not be nested in more than 100 levels'], error: 'Bad Request', statusCode: 400 },
    });
  });
});

describe('the list above', () => {
  it('names every operation of the app', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const served = Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method} ${route}`),
    );
    expect(served.sort()).toEqual(operations.map(({ method, route }) => `${method} ${route}`).sort());
  });
});

describe('PUSH_AUTH=none', () => {
  it('lets a push without a token pass in dev, but never a wrong one', async () => {
    const open = await app.replica({ PUSH_AUTH: 'none' });
    expect((await send(open.url, operations[0]!, {})).status).toBe(200);
    expect((await send(open.url, operations[0]!, headersOf.wrong)).status).toBe(403);
    expect((await send(open.url, operations[0]!, headersOf.queue)).status).toBe(200);
  });

  it('is refused outside dev', async () => {
    const { AppConfig } = await import('../src/app.config.js');
    expect(() => new AppConfig({ ...app.env, ENVIRONMENT: 'staging', PUSH_AUTH: 'none' })).toThrow(
      /PUSH_AUTH +must be required outside dev/,
    );
  });
});

describe('the OpenAPI document', () => {
  it('names every status that an operation answers', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      servers: unknown[];
      paths: Record<string, Record<string, { responses: Record<string, { content?: unknown }> }>>;
    };
    expect(document.servers).not.toEqual([]);
    const statuses = Object.fromEntries(
      Object.entries(document.paths).flatMap(([route, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => [
          `${method} ${route}`,
          Object.keys(responses).join(' '),
        ]),
      ),
    );
    expect(statuses).toEqual({
      'post /batch-trigger': '200 400 401 403 413 415 503',
      'get /months/{month}': '200 400 401 403 503',
      'post /months/{month}/profiles/lookup': '200 400 401 403 413 415 503',
      'post /months/{month}/profiles/retry': '200 400 401 403 413 415 503',
    });
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        for (const response of Object.values(responses)) expect(response.content).toBeDefined();
  });
});

describe('service tokens that are good elsewhere', () => {
  const tokens: [string, string][] = [
    ['of a company', 'token-of-acme'],
    ['for other services', 'token-for-others'],
  ];

  it.each(tokens)('a token %s is refused by every operation', async (_what, token) => {
    const replica = await app.replica({
      SERVICE_TOKENS: [
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['priority-api'], companyId: 'acme' }),
        serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
      ].join(','),
    });
    const statuses = await Promise.all(
      operations
        .filter(({ allowed }) => allowed === 'service')
        .map(async ({ method, path, body }) => {
          const response = await fetch(replica.url + path, {
            method: method.toUpperCase(),
            headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
            ...(body ? { body: JSON.stringify(body) } : {}),
          });
          return [path, response.status, Object.keys((await response.json()) as object).sort()];
        }),
    );
    expect(statuses).toEqual(statuses.map(([path]) => [path, 403, ['error', 'message', 'statusCode']]));
    expect(statuses.length).toBeGreaterThan(1);
  });
});

it('stores who asked for a retry', async () => {
  const [one] = profiles(1);
  const plan_id = randomUUID();
  const operation = operations.find(({ route }) => route.endsWith('/retry'))!;
  const body = { profiles: [{ ...one, network_username: 'asked-by-the-test' }], plan_id, published: true };
  expect((await send(app.url, { ...operation, body }, headersOf.service)).status).toBe(200);
  expect(await app.query('select requested_by from profile_retry where plan_id = $1', [plan_id])).toEqual([
    { requested_by: 'test' },
  ]);
});

describe('what was never published here', () => {
  let issuer: PretendIssuer;
  beforeAll(async () => {
    issuer = await PretendIssuer.start();
  });
  afterAll(() => issuer.close());

  const retry = operations.find(({ route }) => route.endsWith('/retry'))!;

  it.each<[string, object]>([
    ['in a month', {}],
    ['for a forced run of which nobody knows', { forced_run_id: randomUUID() }],
  ])('is bought by an admin, and not by an analyst, %s', async (_what, more) => {
    const replica = await app.replica({ OAUTH_ISSUER: issuer.url });
    const asked = profiles(1);
    const body = { profiles: asked, published: true, ...more };
    const ask = async (userRole: string, asIt = body) => {
      const authorization = `Bearer ${issuer.accessToken({ userRole })}`;
      const response = await send(replica.url, { ...retry, body: asIt }, { authorization });
      return { status: response.status, body: (await response.json()) as object };
    };
    const refused = {
      status: 403,
      body: {
        message: 'published starts profiles for the first time and needs the role ADMIN or a service token',
        error: 'Forbidden',
        statusCode: 403,
      },
    };
    expect(await ask('ANALYST')).toEqual(refused);
    expect(await ask('ANALYST', { ...body, dry_run: true } as typeof body)).toEqual(refused);
    expect(await ask('ANALYST', { ...body, published: false })).toMatchObject({ status: 200, body: { not_known: 1 } });
    const starts = () =>
      app.simulator.ledger({ operation: 'profile.start', target: asked[0]!.network_username }).length;
    expect(starts()).toBe(0);
    expect(await ask('ADMIN')).toMatchObject({ status: 200, body: { started: 1 } });
    await eventually(() => expect(starts()).toBe(1));
  });
});
