// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry, startService } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import { accessTable, servedOperations, takersOfDeepBodies, type Operations } from '@tradewind/testkit';
import { service } from '../src/service.js';
import { eventually, serviceToken, startApp, type TestApp } from './coordinator-app.js';

const month = monthOf(new Date());

const callers = {
  nobody: {},
  wrong: { authorization: 'Bearer not-a-token' },
  service: { authorization: `Bearer ${serviceToken}` },
};

/** What an operation answers a caller that may. */
const successes = {
  'post /run': 202,
  'get /runs': 200,
  'get /runs/{run_id}': 200,
  'get /months/{month}/report': 200,
  'post /months/{month}/retry-missing': 200,
};

let app: TestApp;
let runId: string;
let operations: Operations;
beforeAll(async () => {
  app = await startApp();
  runId = ((await app.runToEnd({ month })) as { run_id: string }).run_id;
  operations = {
    'post /run': { body: { month } },
    'get /runs': {},
    'get /runs/{run_id}': { path: `/runs/${runId}` },
    'get /months/{month}/report': { path: `/months/${month}/report` },
    'post /months/{month}/retry-missing': { path: `/months/${month}/retry-missing` },
  };
});
afterAll(() => app.close());

describe('access', () => {
  it('every operation admits the callers of the pipelines alone', async () => {
    // A run that is under way refuses another one.
    await eventually(async () =>
      expect(await accessTable(app.url, operations, callers)).toEqual(
        Object.fromEntries(
          Object.entries(successes).map(([name, service]) => [name, { nobody: 401, wrong: 401, service }]),
        ),
      ),
    );
  });

  it('covers every operation, and the OpenAPI document names every status', async () => {
    expect(await servedOperations(app.url)).toEqual({
      'post /run': '202 400 401 403 409 413 415 503',
      'get /runs': '200 400 401 403 503',
      'get /runs/{run_id}': '200 400 401 403 404 503',
      'get /months/{month}/report': '200 400 401 403 404 503',
      'post /months/{month}/retry-missing': '200 400 401 403 404 413 415 503',
    });
    expect(Object.keys(await servedOperations(app.url)).sort()).toEqual(Object.keys(operations).sort());
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(app.url, operations)).toEqual([]);
  });
});

describe('what is stored of the caller', () => {
  it('names the caller who asked for a run, and for a retry', async () => {
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

it('service tokens of a company, and those for other services, are refused by every operation', async () => {
  const SERVICE_TOKENS = [
    serviceTokenEntry('token-of-acme', { name: 'acme', services: ['coordinator'], companyId: 'acme' }),
    serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
  ].join(',');
  const replica = await startService(service, { env: { ...app.env, SERVICE_TOKENS } });
  const table = await accessTable(replica.url, operations, {
    'of a company': { authorization: 'Bearer token-of-acme' },
    'for others': { authorization: 'Bearer token-for-others' },
  });
  expect(Object.values(table)).toEqual(Object.keys(operations).map(() => ({ 'of a company': 403, 'for others': 403 })));
  await replica.close();
});
