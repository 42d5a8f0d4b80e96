// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry, startService } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import { service } from '../src/service.js';
import { eventually, serviceToken, startApp, type TestApp } from './coordinator-app.js';

const month = monthOf(new Date());

type Caller = 'nobody' | 'wrong' | 'service';

const headersOf: Record<Caller, Record<string, string>> = {
  nobody: {},
  wrong: { authorization: 'Bearer not-a-token' },
  service: { authorization: `Bearer ${serviceToken}` },
};

interface Operation {
  method: 'get' | 'post';
  /** As in the OpenAPI document. */
  route: string;
  path: string;
  body?: unknown;
  /** Status for a caller that may. */
  success: number;
}

let runId: string;
const operations: Operation[] = [
  { method: 'post', route: '/run', path: '/run', body: { month }, success: 202 },
  { method: 'get', route: '/runs', path: '/runs', success: 200 },
  { method: 'get', route: '/runs/{run_id}', path: '/runs/RUN_ID', success: 200 },
  { method: 'get', route: '/months/{month}/report', path: `/months/${month}/report`, success: 200 },
  { method: 'post', route: '/months/{month}/retry-missing', path: `/months/${month}/retry-missing`, success: 200 },
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  runId = ((await app.runToEnd({ month })) as { run_id: string }).run_id;
});
afterAll(() => app.close());

describe.each(operations)('$method $route', ({ method, path, body, success }) => {
  it.each<Caller>(['nobody', 'wrong', 'service'])('decides about %s', async (caller) => {
    await eventually(async () => {
      const response = await fetch(app.url + path.replace('RUN_ID', runId), {
        method: method.toUpperCase(),
        headers: { ...headersOf[caller], ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect(response.status).toBe(caller === 'service' ? success : 401);
      if (caller !== 'service')
        expect(Object.keys((await response.json()) as object).sort()).toEqual(['error', 'message', 'statusCode']);
    });
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
      'post /run': '202 400 401 403 409 413 415 503',
      'get /runs': '200 400 401 403 503',
      'get /runs/{run_id}': '200 400 401 403 404 503',
      'get /months/{month}/report': '200 400 401 403 404 503',
      'post /months/{month}/retry-missing': '200 400 401 403 404 413 415 503',
    });
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        for (const response of Object.values(responses)) expect(response.content).toBeDefined();
  });
});

describe('what is stored of the caller', () => {
  it('names who asked for a run and for a retry', async () => {
    expect(await app.query('select triggered_by from run where run_id = $1', [runId])).toEqual([
      { triggered_by: 'test' },
    ]);
    const { body } = await app.request('GET', `/runs/${runId}`);
    expect(body).toMatchObject({ triggered_by: 'test' });
    const plan_id = randomUUID();
    expect((await app.request('POST', `/months/${month}/retry-missing`, { plan_id })).status).toBe(200);
    expect(await app.query('select month, requested_by from retry_request where plan_id = $1', [plan_id])).toEqual([
      { month, requested_by: 'test' },
    ]);
    const dry = randomUUID();
    await app.request('POST', `/months/${month}/retry-missing`, { plan_id: dry, dry_run: true });
    expect(await app.query('select from retry_request where plan_id = $1', [dry])).toEqual([]);
  });
});

describe('service tokens that are good elsewhere', () => {
  const tokens: [string, string][] = [
    ['of a company', 'token-of-acme'],
    ['for other services', 'token-for-others'],
  ];

  it.each(tokens)('a token %s is refused by every operation', async (_what, token) => {
    const tokens = {
      SERVICE_TOKENS: [
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['coordinator'], companyId: 'acme' }),
        serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
      ].join(','),
    };
    const replica = await startService(service, { env: { ...app.env, ...tokens } });
    const statuses = await Promise.all(
      operations.map(async ({ method, path, body }) => {
        const response = await fetch(replica.url + path.replace('RUN_ID', runId), {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return [path, response.status, Object.keys((await response.json()) as object).sort()];
      }),
    );
    expect(statuses).toEqual(statuses.map(([path]) => [path, 403, ['error', 'message', 'statusCode']]));
    expect(statuses.length).toBeGreaterThan(1);
    await replica.close();
  });
});
