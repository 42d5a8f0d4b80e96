// A database that accepts statements and answers none. Every request gets an error in bounded time, and nothing is
// admitted unchecked. Requests work again as soon as the database does. A relay between gateway and database makes it
// hang.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type RunningService } from '@tradewind/service-kit';
import { Relay } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';
import { answerOf, startGateway, type TestGateway } from './support/gateway.js';

const query = '{ companiesConnection { edges { node { id } } } }';
const statementTimeoutMs = 2000;

describe('with a database that hangs', () => {
  let gateway: TestGateway;
  let relay: Relay;
  let replica: RunningService<AppConfig>;
  let keys: string[];
  beforeAll(async () => {
    gateway = await startGateway();
    keys = await Promise.all(Array.from({ length: 12 }, async () => (await gateway.newKey()).key));
    const url = new URL(gateway.database.url);
    relay = await Relay.to(url);
    url.host = `127.0.0.1:${relay.port}`;
    replica = await startService(service, {
      env: {
        ENVIRONMENT: 'dev',
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: url.href,
        OAUTH_ISSUER: gateway.identity.url,
        DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
        DATA_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
      },
    });
    // Often enough that statements are prepared and the shared connections are in use.
    for (let round = 0; round < 4; round++) expect(await statusesOf(keys)).toEqual(keys.map(() => 200));
  });
  afterAll(async () => {
    relay.resume();
    await replica.close();
    await gateway.close();
    relay.close();
  });

  const ask = async (key: string) =>
    answerOf(
      await fetch(`${replica.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query }),
      }),
    );
  const statusesOf = async (asked: string[]) => (await Promise.all(asked.map(ask))).map(({ status }) => status);

  it('answers 503 to every request, and 200 again as soon as the database does', async () => {
    const used = async () =>
      (await gateway.sql.query<{ used: string }>('select sum(used) as used from daily_quota')).rows[0]!.used;
    relay.hang();
    const startedAt = performance.now();
    const answers = await Promise.all(keys.map(ask));
    const seconds = (performance.now() - startedAt) / 1000;
    const refusal = { message: expect.any(String), error: 'Service Unavailable', statusCode: 503 };
    for (const answer of answers) expect(answer).toMatchObject({ status: 503, body: refusal });
    // A group of units waits for the one before it, and a request waits for a connection that is being opened.
    expect(seconds).toBeLessThan(30);

    relay.resume();
    expect(await statusesOf(keys)).toEqual(keys.map(() => 200));
    const before = Number(await used());
    expect(await statusesOf(keys)).toEqual(keys.map(() => 200));
    expect(Number(await used()) - before).toBe(keys.length);
  }, 120_000);
});
