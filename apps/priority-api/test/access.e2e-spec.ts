// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import {
  accessTable,
  callOperation,
  PretendIssuer,
  servedOperations,
  takersOfDeepBodies,
  type Operation,
  type Operations,
} from '@tradewind/testkit';
import { envelope, eventually, profiles, pushToken, serviceToken, startApp, type TestApp } from './priority-api-app.js';

const callers = {
  nobody: {},
  wrong: { authorization: 'Bearer not-a-token' },
  service: { authorization: `Bearer ${serviceToken}` },
  queue: { authorization: `Bearer ${pushToken}` },
};

const batchTrigger: Operation = { path: '/batch-trigger/', body: envelope({ profiles: profiles(1) }) };
const retry: Operation = { path: '/months/2026-11/profiles/retry', body: { profiles: profiles(1) } };
const retryName = 'post /months/{month}/profiles/retry';

const monthOperations: Operations = {
  'get /months/{month}': { path: '/months/2026-11' },
  'post /months/{month}/profiles/lookup': {
    path: '/months/2026-11/profiles/lookup',
    body: { network_usernames: ['a'] },
  },
  [retryName]: retry,
};
const operations: Operations = { 'post /batch-trigger': batchTrigger, ...monthOperations };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('access', () => {
  it('every operation admits the queue or the callers of the pipelines alone', async () => {
    const forServices = { nobody: 401, wrong: 401, service: 200, queue: 401 };
    expect(await accessTable(app.url, operations, callers)).toEqual({
      'post /batch-trigger': { nobody: 401, wrong: 403, service: 403, queue: 200 },
      ...Object.fromEntries(Object.keys(monthOperations).map((name) => [name, forServices])),
    });
  });

  it('covers every operation, and the OpenAPI document names every status', async () => {
    expect(await servedOperations(app.url)).toEqual({
      'post /batch-trigger': '200 400 401 403 413 415 503',
      'get /months/{month}': '200 400 401 403 503',
      'post /months/{month}/profiles/lookup': '200 400 401 403 413 415 503',
      [retryName]: '200 400 401 403 413 415 503',
    });
    expect(Object.keys(await servedOperations(app.url)).sort()).toEqual(Object.keys(operations).sort());
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(app.url, operations)).toEqual([]);
  });
});

describe('PUSH_AUTH=none', () => {
  it('admits a push without a token in dev, but never a wrong token', async () => {
    const open = await app.replica({ PUSH_AUTH: 'none' });
    const { nobody, wrong, queue } = callers;
    expect(await accessTable(open.url, { 'post /batch-trigger': batchTrigger }, { nobody, wrong, queue })).toEqual({
      'post /batch-trigger': { nobody: 200, wrong: 403, queue: 200 },
    });
  });

  it('is refused outside dev', async () => {
    const { AppConfig } = await import('../src/app.config.js');
    expect(() => new AppConfig({ ...app.env, ENVIRONMENT: 'staging', PUSH_AUTH: 'none' })).toThrow(
      /PUSH_AUTH +must be required outside dev/,
    );
  });
});

it('service tokens of a company, and those for other services, are refused by every operation', async () => {
  const replica = await app.replica({
    SERVICE_TOKENS: [
      serviceTokenEntry('token-of-acme', { name: 'acme', services: ['priority-api'], companyId: 'acme' }),
      serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
    ].join(','),
  });
  const table = await accessTable(replica.url, monthOperations, {
    'of a company': { authorization: 'Bearer token-of-acme' },
    'for others': { authorization: 'Bearer token-for-others' },
  });
  expect(Object.values(table)).toEqual(
    Object.keys(monthOperations).map(() => ({ 'of a company': 403, 'for others': 403 })),
  );
});

it('stores who asked for a retry', async () => {
  const [one] = profiles(1);
  const plan_id = randomUUID();
  const body = { profiles: [{ ...one, network_username: 'asked-by-the-test' }], plan_id, published: true };
  expect((await callOperation(app.url, [retryName, { ...retry, body }], callers.service)).status).toBe(200);
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

  it.each<[string, object]>([
    ['in a month', {}],
    ['for an unknown forced run', { forced_run_id: randomUUID() }],
  ])('is bought by an admin, and not by an analyst, %s', async (_what, more) => {
    const replica = await app.replica({ OAUTH_ISSUER: issuer.url });
    const asked = profiles(1);
    const body = { profiles: asked, published: true, ...more };
    const ask = async (userRole: string, asIt = body) => {
      const authorization = `Bearer ${issuer.accessToken({ userRole })}`;
      const response = await callOperation(replica.url, [retryName, { ...retry, body: asIt }], { authorization });
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
