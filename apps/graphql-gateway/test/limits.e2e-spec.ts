/* eslint-disable @typescript-eslint/no-unsafe-assignment --
   answers are JSON of any shape, and the assertions judge them */
// The limits over two replicas: exact under parallel load, all or nothing, free for refused requests, durable.
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startService } from '@tradewind/service-kit';
import { Clock } from '../src/clock.js';
import { service } from '../src/service.js';
import { startGateway, type Answer, type TestGateway } from './support/gateway.js';
import { serviceToken } from './support/identity-server.js';

const oneCall = '{ companiesConnection { edges { cursor } } }';
const threeCalls =
  '{ a: companiesConnection { edges { cursor } } b: companiesConnection { totalCount } personsConnection { totalCount } }';

const defaults = { DATA_CALLS_PER_DAY: '10', REQUESTS_PER_MINUTE: '100' };
const remaining = (answer: Answer) => Number(answer.headers.get('x-ratelimit-remaining'));

describe('limits', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(defaults, 2);
  });
  afterAll(() => gateway.close());

  it('admits exactly 10 of 200 parallel data calls over two replicas', async () => {
    const { key } = await gateway.newKey();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => gateway.data(key, oneCall, {}, { replica: i % 2 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(190);
    for (const { body, headers } of refused) {
      expect(body).toEqual({
        message: expect.stringContaining('10 data calls'),
        error: 'Too Many Requests',
        statusCode: 429,
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('ratelimit')).toMatch(/^"data";r=0;t=\d+$/);
    }
  });

  it('admits exactly 100 of 200 parallel other requests of one user over two replicas', async () => {
    const { key } = await gateway.newKey();
    // Making the key was a request of the same user.
    await gateway.sql.query('truncate request_window');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => gateway.data(key, '{ __typename }', {}, { replica: i % 2 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(100);
    // Data calls have a limit of their own, and so have other users.
    expect((await gateway.data(key, oneCall)).status).toBe(200);
    const other = await gateway.newKey();
    expect((await gateway.data(other.key, '{ __typename }')).status).toBe(200);
  });

  it('reports the limits even on answers that no endpoint made', async () => {
    const { key } = await gateway.newKey();
    const send = (path: string, init: RequestInit, type = 'application/json') =>
      fetch(`${gateway.replicas[0]!.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
      });
    for (const path of ['/graphql', '/auth/graphql', '/graphql/']) {
      const answers = {
        400: await send(path, { method: 'POST', body: '{' }),
        405: await send(path, { method: 'PUT', body: '{}' }),
        413: await send(path, { method: 'POST', body: JSON.stringify(' '.repeat(2_000_000)) }),
        415: await send(path, { method: 'POST', body: 'query=1' }, 'application/x-www-form-urlencoded'),
      };
      for (const [status, { status: got, headers }] of Object.entries(answers)) {
        expect({ path, status: got }).toEqual({ path, status: Number(status) });
        expect(headers.get('ratelimit-policy')).toBe('"requests";q=100;w=60');
        expect(headers.get('ratelimit')).toMatch(/^"requests";r=\d+;t=\d+$/);
        expect(headers.get('x-ratelimit-limit')).toBe('100');
      }
    }
    expect((await fetch(`${gateway.replicas[0]!.url}/health`)).headers.get('ratelimit')).toBeNull();
  });

  it('counts executed connection fields, all or nothing', async () => {
    const { key } = await gateway.newKey();
    expect(remaining(await gateway.data(key, threeCalls))).toBe(7);
    expect(
      remaining(
        await gateway.data(
          key,
          'query { ...f } fragment f on Query { x: dealsConnection { totalCount } y: dealsConnection { totalCount } }',
        ),
      ),
    ).toBe(5);
    const conditional =
      'query ($no: Boolean!) { companiesConnection { totalCount } a: dealsConnection @include(if: $no) { totalCount } b: dealsConnection @skip(if: true) { totalCount } }';
    expect(remaining(await gateway.data(key, conditional, { no: false }))).toBe(4);
    // Equal response keys are one field to GraphQL.
    expect(
      remaining(
        await gateway.data(key, '{ companiesConnection { totalCount } companiesConnection { edges { cursor } } }'),
      ),
    ).toBe(3);
    // Of several operations only the named one is executed.
    expect(
      remaining(
        await gateway.data(key, `query one ${oneCall} query three ${threeCalls}`, {}, { operationName: 'one' }),
      ),
    ).toBe(2);
    const refused = await gateway.data(key, threeCalls);
    expect(refused.status).toBe(429);
    expect(remaining(refused)).toBe(2);
    expect(remaining(await gateway.data(key, oneCall))).toBe(1);
  });

  it('charges nothing for refused requests', async () => {
    const { key } = await gateway.newKey();
    const refused = [
      await gateway.data(key, '{ nope }'),
      await gateway.data(key, '{ companiesConnection(searchFilters: {}) { totalCount } }'),
      await gateway.data(key, '{ companiesConnection(after: "x") { totalCount } }'),
      await gateway.data(key, '{ dealsConnection(sorters: [{field: "nope"}]) { totalCount } }'),
      await gateway.data(
        key,
        'query ($searchFilters: InputDealSearchFilters) { dealsConnection(searchFilters: $searchFilters) { totalCount } }',
        { searchFilters: { type: [{ values: ['ENDORSEMENT'] }] } },
      ),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    for (const answer of refused) expect(remaining(answer)).toBe(10);
    expect((await gateway.data(null, oneCall)).status).toBe(401);
    expect(remaining(await gateway.data(key, oneCall))).toBe(9);
  });

  it('returns the units of a failed request', async () => {
    const { key } = await gateway.newKey();
    await gateway.sql.query('alter table company rename to company_away');
    const failed = await gateway.data(key, threeCalls);
    expect(failed.status).toBe(502);
    expect(failed.body).toEqual({ message: expect.any(String), error: 'Bad Gateway', statusCode: 502 });
    expect(remaining(failed)).toBe(10);
    await gateway.sql.query('alter table company_away rename to company');
    expect(remaining(await gateway.data(key, oneCall))).toBe(9);
  });

  it('reports the limits on every answer', async () => {
    const { key, user } = await gateway.newKey();
    const answers = [
      await gateway.data(key, oneCall),
      await gateway.data(key, '{ __typename }'),
      await gateway.data(key, '{ nope }'),
      await gateway.data(null, oneCall),
      await gateway.auth(null, '{ dataEndpoint }'),
      await gateway.auth('x', 'mutation { createApiKey(input: {name: "k"}) }'),
      await gateway.auth(gateway.identity.token(user), 'mutation { createApiKey(input: {name: ""}) }'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-policy')).toMatch(/^"(data";q=10;w=86400|requests";q=100;w=60)$/);
      expect(headers.get('ratelimit')).toMatch(/^"(data|requests)";r=\d+;t=\d+$/);
      for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    }
  });

  it('answers 503 and admits nothing while the counters are away', async () => {
    const { key } = await gateway.newKey();
    await gateway.data(key, oneCall);
    await gateway.sql.query('alter table daily_quota rename to daily_quota_away');
    const { status, body, headers } = await gateway.data(key, oneCall);
    expect(status).toBe(503);
    expect(body).toEqual({ message: expect.any(String), error: 'Service Unavailable', statusCode: 503 });
    expect(headers.get('retry-after')).toBe('5');
    await gateway.sql.query('alter table daily_quota_away rename to daily_quota');
    expect(remaining(await gateway.data(key, oneCall))).toBe(8);
  });
});

describe('limits of gateways with settings of their own', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const start = async (env: Record<string, string>) => {
    gateway = await startGateway({ ...defaults, ...env });
  };
  const setTime = (text: string) => {
    for (const { app } of gateway.replicas) jest.spyOn(app.get(Clock), 'now').mockReturnValue(new Date(text));
  };

  it('resets the day at 00:00 UTC, and the minute 60 s after its first request', async () => {
    await start({ REQUESTS_PER_MINUTE: '2' });
    const { key } = await gateway.newKey();
    setTime('2026-03-31T23:59:59.500Z');
    for (let i = 0; i < 10; i++) await gateway.data(key, oneCall);
    const refused = await gateway.data(key, oneCall);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    setTime('2026-04-01T00:00:00.000Z');
    const admitted = await gateway.data(key, oneCall);
    expect(remaining(admitted)).toBe(9);
    expect(admitted.headers.get('ratelimit')).toBe('"data";r=9;t=86400');

    await gateway.sql.query('truncate request_window');
    const pass = (seconds: number) =>
      gateway.sql.query(`update request_window set started_at = started_at - interval '${seconds} seconds'`);
    expect((await gateway.data(key, '{ __typename }')).status).toBe(200);
    await pass(20);
    // The test itself takes a while.
    expect((await gateway.data(key, '{ __typename }')).headers.get('ratelimit')).toMatch(/^"requests";r=0;t=[34]\d$/);
    await pass(20);
    expect((await gateway.data(key, '{ __typename }')).status).toBe(429);
    await pass(20);
    expect((await gateway.data(key, '{ __typename }')).headers.get('ratelimit')).toBe('"requests";r=1;t=60');
  });

  it('keeps the counts over a restart', async () => {
    await start({});
    const { key } = await gateway.newKey();
    await gateway.data(key, threeCalls);
    const [first] = gateway.replicas;
    const env = { ...settingsOf(gateway), DATA_CALLS_PER_DAY: '10' };
    await first!.close();
    gateway.replicas[0] = await startService(service, { env });
    expect(remaining(await gateway.data(key, oneCall))).toBe(6);
  });

  it('counts by address and by user in production, by user in staging', async () => {
    await start({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: 'true' });
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' } });
    const keys = [await gateway.newKey(), await gateway.newKey(), await gateway.newKey(), await gateway.newKey()].map(
      ({ key }) => key,
    );
    const statuses = async (environment: string) => {
      const env = {
        ...settingsOf(gateway),
        ENVIRONMENT: environment,
        OAUTH_ISSUER: 'https://id.example.com',
        IDENTITY_URL: gateway.identity.url,
        DATA_CALLS_PER_DAY: '10',
        REQUESTS_PER_MINUTE: '3',
        TRUST_PROXY: '1',
      };
      gateway.replicas.push(await startService(service, { env }));
      const replica = gateway.replicas.length - 1;
      const seen: number[] = [];
      for (const key of keys)
        seen.push((await gateway.data(key, '{ __typename }', {}, { replica, ...from('10.0.0.1') })).status);
      seen.push((await gateway.data(keys[3]!, '{ __typename }', {}, { replica, ...from('10.0.0.2') })).status);
      return seen;
    };
    // The fourth user has made no request yet, but three came from its address; from another address it is admitted.
    expect(await statuses('production')).toEqual([200, 200, 200, 429, 200]);
    await gateway.sql.query('truncate request_window');
    // The addresses of one IPv6 /64 are one caller's.
    const sixes = ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1:ffff::3', '2001:db8:1:1::4', '2001:db8:1:2::1'];
    const seen: number[] = [];
    for (const ip of sixes)
      seen.push((await gateway.auth(null, '{ dataEndpoint }', {}, { replica: 1, ...from(ip) })).status);
    expect(seen).toEqual([200, 200, 200, 429, 200]);
    await gateway.sql.query('truncate request_window');
    expect(await statuses('staging')).toEqual([200, 200, 200, 200, 200]);
  });
});

function settingsOf(gateway: TestGateway): Record<string, string> {
  return {
    ENVIRONMENT: 'dev',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: gateway.database.url,
    OAUTH_ISSUER: gateway.identity.url,
    SERVICE_TOKEN: serviceToken,
  };
}
