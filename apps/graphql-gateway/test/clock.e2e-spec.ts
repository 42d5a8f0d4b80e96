// Two replicas whose clocks differ, clocks that go back, and borders of the calendar.
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../src/clock.js';
import { startGateway, type Answer, type TestGateway } from './support/gateway.js';

const oneCall = '{ companiesConnection { edges { cursor } } }';
const other = '{ __typename }';
const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }';
const resetSeconds = (answer: Answer) => Number(answer.headers.get('x-ratelimit-reset'));

describe('clocks', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ DATA_CALLS_PER_DAY: '2', REQUESTS_PER_MINUTE: '4', KEY_CACHE_MS: '0' }, 2);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => gateway.close());

  const setTime = (replica: number, time: string | number) =>
    jest.spyOn(gateway.replicas[replica]!.app.get(Clock), 'now').mockReturnValue(new Date(time));
  const setOff = (replica: number, seconds: number) => setTime(replica, Date.now() + seconds * 1000);
  const newKey = async (options: Parameters<TestGateway['newKey']>[0] = {}) => {
    const made = await gateway.newKey(options);
    await gateway.sql.query('truncate request_window');
    return made;
  };
  const statuses = async (key: string, query: string, replicas: number[]) => {
    const seen: number[] = [];
    for (const replica of replicas) seen.push((await gateway.data(key, query, {}, { replica })).status);
    return seen;
  };

  it.each([
    [2, 0],
    [0, 2],
    [-5, 0],
    [3600, -3600],
  ])('a minute is a minute for replicas that are %i s and %i s ahead', async (first, second) => {
    const { key } = await newKey();
    setOff(0, first);
    setOff(1, second);
    expect(await statuses(key, other, [0, 1, 0])).toEqual([200, 200, 200]);
    const last = await gateway.data(key, other, {}, { replica: 1 });
    expect([last.status, resetSeconds(last) <= 60, resetSeconds(last) > 30]).toEqual([200, true, true]);
    expect(await statuses(key, other, [0, 1])).toEqual([429, 429]);
    // Neither a clock that jumps ahead nor one that goes back changes that.
    setOff(0, first + 61);
    setOff(1, second - 5);
    expect(await statuses(key, other, [0, 1])).toEqual([429, 429]);
    await gateway.sql.query(`update request_window set started_at = started_at - interval '60 seconds'`);
    expect(await statuses(key, other, [1, 0])).toEqual([200, 200]);
  });

  it.each([
    ['2026-02-28', '2026-03-01'],
    ['2028-02-28', '2028-02-29'],
    ['2028-02-29', '2028-03-01'],
    ['2026-12-31', '2027-01-01'],
  ])('each day has its calls, %s and %s, on replicas 2 s apart', async (day, next) => {
    const { key } = await newKey();
    await gateway.sql.query(`update api_key set expires_at = '2100-01-01'`);
    setTime(0, `${day}T23:59:59.000Z`);
    setTime(1, `${next}T00:00:01.000Z`);
    expect(await statuses(key, oneCall, [0, 0, 0, 1, 1, 1])).toEqual([200, 200, 429, 200, 200, 429]);
    expect(resetSeconds(await gateway.data(key, oneCall))).toBe(1);
    expect(resetSeconds(await gateway.data(key, oneCall, {}, { replica: 1 }))).toBe(86_399);
    // The slower replica comes to the new day, the faster one is set back to the old one: both are used up.
    setTime(0, `${next}T00:00:00.000Z`);
    setTime(1, `${day}T23:59:56.000Z`);
    expect(await statuses(key, oneCall, [0, 1])).toEqual([429, 429]);
    const { rows } = await gateway.sql.query(
      'select day::text, used from daily_quota where day = any ($1::date[]) order by day',
      [[day, next]],
    );
    expect(rows).toEqual([
      { day, used: 2 },
      { day: next, used: 2 },
    ]);
    await gateway.sql.query('truncate daily_quota');
  });

  it.each([
    ['2028-02-29T00:00:00.000Z', 365, '2029-02-28T00:00:00.000Z'],
    ['2026-02-28T23:59:59.999Z', 1, '2026-03-01T23:59:59.999Z'],
    ['2026-12-31T12:00:00.000Z', 1, '2027-01-01T12:00:00.000Z'],
  ])('a key of %s for %i days ends at %s, on each replica by its clock', async (made, expiresInDays, end) => {
    setTime(0, made);
    const { key } = await newKey({ expiresInDays });
    setTime(0, Date.parse(end) - 1000);
    setTime(1, Date.parse(end) + 1000);
    expect(await statuses(key, other, [0, 1])).toEqual([200, 401]);
    setTime(0, end);
    setTime(1, Date.parse(end) - 1);
    expect(await statuses(key, other, [0, 1])).toEqual([401, 200]);
  });

  const ahead = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  it.each([
    ['made in 2 s', 200, { iat: 2, nbf: 2 }],
    ['made in 7 s', 401, { nbf: 7 }],
    ['that has expired 2 s ago', 200, { exp: -2 }],
    ['that has expired 7 s ago', 401, { exp: -7 }],
  ])('identity may be a little ahead or behind: a JWT %s is answered with %i', async (_name, status, times) => {
    const { identity } = gateway;
    const claims = Object.fromEntries(Object.entries(times).map(([name, seconds]) => [name, ahead(seconds)]));
    await gateway.sql.query('truncate request_window');
    const made = await gateway.auth(identity.token(identity.addUser(), claims), create, { input: { name: 'k' } });
    expect(made.status).toBe(status);
  });
});
