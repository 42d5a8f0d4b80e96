// Without the data tables log-in and keys work, data queries get 502, and the gateway stays ready.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type RunningService } from '@tradewind/service-kit';
import { Relay } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';
import { answerOf, startGateway, type Answer, type TestGateway } from './support/gateway.js';

const login = 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }';
const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }';
const query = '{ companiesConnection { edges { node { id industry { name } } } } }';

describe('without the data tables', () => {
  let gateway: TestGateway;
  let relay: Relay;
  const started: RunningService<AppConfig>[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    relay = await Relay.to(new URL(gateway.database.url));
  });
  afterAll(async () => {
    relay.up();
    await Promise.all(started.map((replica) => replica.close()));
    await gateway.close();
    relay.close();
  });

  const start = async (): Promise<string> => {
    const data = new URL(gateway.database.url);
    data.port = String(relay.port);
    const replica = await startService(service, {
      env: {
        ENVIRONMENT: 'dev',
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: gateway.database.url,
        DATA_DATABASE_URL: data.href,
        OAUTH_ISSUER: gateway.identity.url,
      },
    });
    started.push(replica);
    return replica.url;
  };
  const post = async (url: string, credential: string | null, text: string, variables = {}): Promise<Answer> =>
    answerOf(
      await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        },
        body: JSON.stringify({ query: text, variables }),
      }),
    );
  const readiness = async (url: string) => {
    const answer = await fetch(`${url}/ready`);
    return [answer.status, (await answer.json()) as unknown];
  };
  const degraded = {
    status: 'ready',
    service: 'graphql-gateway',
    dependencies: { postgres: 'up', data: 'down' },
    degraded: { data: expect.stringContaining('502') },
  };

  async function expectLoginAndKeys(url: string): Promise<string> {
    const user = gateway.identity.addUser();
    const input = { email: user.email, password: user.password };
    const loggedIn = await post(`${url}/auth/graphql`, null, login, { input });
    expect(loggedIn.status).toBe(200);
    const { token } = (loggedIn.body as { data: { authenticateUser: { token: string } } }).data.authenticateUser;
    const made = await post(`${url}/auth/graphql`, token, create, { input: { name: 'away' } });
    expect(made.status).toBe(200);
    const { createApiKey: key } = (made.body as { data: { createApiKey: string } }).data;
    expect((await post(`${url}/graphql`, key, '{ __typename }')).status).toBe(200);
    const refused = await post(`${url}/graphql`, key, query);
    expect([refused.status, refused.body]).toEqual([
      502,
      { message: 'The data store does not answer; try again in a moment', error: 'Bad Gateway', statusCode: 502 },
    ]);
    return key;
  }

  it('it stays ready, logs users in, makes and accepts keys, answers data queries with 502, and recovers', async () => {
    relay.up();
    const url = await start();
    expect(await readiness(url)).toMatchObject([200, { dependencies: { data: 'up' } }]);
    relay.down();
    expect(await readiness(url)).toEqual([200, degraded]);
    const key = await expectLoginAndKeys(url);
    relay.up();
    expect((await post(`${url}/graphql`, key, query)).status).toBe(200);
    expect(await readiness(url)).toMatchObject([200, { dependencies: { data: 'up' } }]);
  });

  it('it starts, and does the same', async () => {
    relay.down();
    const url = await start();
    expect(await readiness(url)).toEqual([200, degraded]);
    const key = await expectLoginAndKeys(url);
    relay.up();
    expect((await post(`${url}/graphql`, key, query)).status).toBe(200);
  });
});
