// What refused documents cost: requests of the caller's address, and no data call.
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../src/clock.js';
import { startGateway, type Answer, type TestGateway } from './support/gateway.js';

const invalid = '{ nope }';
const statusOf = async (answer: Promise<Answer>) => (await answer).status;

describe('refused documents', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  it.each([
    ['that cannot be parsed', '{'],
    ['that are not valid', invalid],
    ['that are too large', `{ ${'__typename '.repeat(31)} }`],
    ['that are too long', `{ __typename ${' '.repeat(20_000)} }`],
    ['without the operation asked for', 'query a { __typename } query b { __typename }'],
  ])('count by address on both endpoints: documents %s', async (_name, query) => {
    gateway = await startGateway({ REQUESTS_PER_MINUTE: '5' });
    const { key, user } = await gateway.newKey();
    const sendRefused = [
      () => gateway.data(key, query),
      () => gateway.auth(null, query),
      () => gateway.auth(gateway.identity.token(user), query),
    ];
    for (let i = 0; i < 5; i++) expect(await sendRefused[i % 3]!()).toMatchObject({ status: 400 });
    for (const send of sendRefused) {
      const answer = await send();
      expect({ status: answer.status, body: answer.body as unknown }).toEqual({
        status: 429,
        body: {
          message: expect.stringContaining('5 requests per minute'),
          error: 'Too Many Requests',
          statusCode: 429,
        },
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('are not parsed once the address has no request left; known operations are still answered', async () => {
    gateway = await startGateway({ REQUESTS_PER_MINUTE: '5', DATA_CALLS_PER_DAY: '10' });
    const { key } = await gateway.newKey();
    const known = '{ companiesConnection { totalCount } }';
    for (let i = 0; i < 3; i++) expect(await statusOf(gateway.data(key, known))).toBe(200);
    for (let i = 0; i < 6; i++) await gateway.data(key, invalid);
    const fresh = await gateway.data(key, '{ personsConnection { totalCount } }');
    expect(fresh.status).toBe(429);
    const answer = await gateway.data(key, known);
    expect(answer.status).toBe(200);
    // Neither the refused documents nor the one that was not looked at took a data call.
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('6');
  });

  it('are parsed again when the minute is over', async () => {
    gateway = await startGateway({ REQUESTS_PER_MINUTE: '2' });
    const { key } = await gateway.newKey();
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push(await statusOf(gateway.data(key, invalid)));
    expect(statuses).toEqual([400, 400, 429, 429]);
    const clock = gateway.replicas[0]!.app.get(Clock);
    const laterMs = clock.elapsedMs() + 61_000;
    jest.spyOn(clock, 'elapsedMs').mockReturnValue(laterMs);
    await gateway.sql.query("update request_window set started_at = started_at - interval '61 seconds'");
    expect(await statusOf(gateway.data(key, invalid))).toBe(400);
  });
});
