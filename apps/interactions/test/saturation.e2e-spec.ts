// A database that is stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults } from '@tradewind/testkit';
import { InteractionsWorld, person } from './interactions-app.js';

describe('a database that is stuck', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        DATABASE_POOL_SIZE: '3',
        DATABASE_CONNECTION_TIMEOUT_MS: '500',
        DATABASE_STATEMENT_TIMEOUT_MS: '800',
        ANSWER_BUDGET_MS: '2000',
      },
    });
  });
  afterAll(() => world.stop());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    let sent = 0;
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(world.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const requests = {
      'a trigger': () =>
        post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person(`handle-${(sent += 1)}`)] }),
      'an abort': () => post('/scraper/network/abort-run', { user_company_id: 'acme', targets: [person('nobody')] }),
      'the list of jobs': () => fetch(`${world.url}/scraper/network/interactions?user_company_id=acme`),
    };
    const faults = await saturationFaults({
      databaseUrl: world.database.url,
      schema: 'interactions',
      requests,
      parallel: 4,
      answerMsMax: 5000,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
