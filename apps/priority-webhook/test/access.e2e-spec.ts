// Every operation against every kind of caller. An operation that is missing here fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { profileBody, serviceToken, startApp, webhookSecret, type TestApp } from './priority-webhook-app.js';

type Caller = 'nobody' | 'wrong' | 'service' | 'provider';

const headersOf: Record<Caller, Record<string, string>> = {
  nobody: {},
  wrong: { authorization: 'Bearer not-a-token', 'x-webhook-secret': 'not-the-secret' },
  service: { authorization: `Bearer ${serviceToken}` },
  provider: { 'x-webhook-secret': webhookSecret },
};

interface Operation {
  method: 'get' | 'post';
  /** As in the OpenAPI document. */
  route: string;
  path: string;
  body?: unknown;
  allowed: Caller[];
}

const operations: Operation[] = [
  {
    method: 'post',
    route: '/webhook/network',
    path: '/webhook/network',
    body: profileBody('access'),
    allowed: ['provider'],
  },
  { method: 'get', route: '/profiles/{username}/status', path: '/profiles/access/status', allowed: ['service'] },
  {
    method: 'post',
    route: '/months/{month}/profiles/lookup',
    path: '/months/2026-11/profiles/lookup',
    body: { network_usernames: ['access'] },
    allowed: ['service'],
  },
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.deliver(profileBody('access'));
});
afterAll(() => app.close());

describe.each(operations)('$method $route', ({ method, path, body, allowed }) => {
  it.each<Caller>(['nobody', 'wrong', 'service', 'provider'])('decides about %s', async (caller) => {
    const response = await fetch(app.url + path, {
      method: method.toUpperCase(),
      headers: { ...headersOf[caller], ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status).toBe(allowed.includes(caller) ? 200 : 401);
    if (!allowed.includes(caller)) {
      expect(Object.keys((await response.json()) as object).sort()).toEqual(['error', 'message', 'statusCode']);
    }
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

describe('settings', () => {
  it('accept the older secret during a rotation', async () => {
    const replica = await app.replica({ PROFILE_WEBHOOK_SECRETS: 'the-new-one, the-old-one' });
    for (const [secret, status] of [
      ['the-new-one', 200],
      ['the-old-one', 200],
      ['the-new-one,the-old-one', 401],
      ['', 401],
    ] as const) {
      const response = await fetch(`${replica.url}/webhook/network`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
        body: JSON.stringify(profileBody('rotation')),
      });
      expect([secret, response.status]).toEqual([secret, status]);
    }
  });

  it('admit a webhook without a secret in dev with WEBHOOK_AUTH=none, but never a wrong secret', async () => {
    const open = await app.replica({ WEBHOOK_AUTH: 'none' });
    const post = (headers: Record<string, string>) =>
      fetch(`${open.url}/webhook/network`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(profileBody('open')),
      });
    expect((await post({})).status).toBe(200);
    expect((await post({ 'x-webhook-secret': 'wrong' })).status).toBe(401);
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
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['priority-webhook'], companyId: 'acme' }),
        serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
      ].join(','),
    });
    const statuses = await Promise.all(
      operations
        .filter(({ allowed }) => allowed.includes('service'))
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
