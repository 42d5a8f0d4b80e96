// Every operation against every kind of caller. An operation that is missing here fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { monthOf } from '@tradewind/shared-types';
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
