// A database that is stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings, testPool } from '@tradewind/testkit';
import { InteractionsWorld, person } from './interactions-app.js';

describe('a database that is stuck', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        ...saturationSettings,
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
    });
    expect(faults).toEqual([]);
  }, 60_000);
});

describe('triggers that find out whether they were recorded', () => {
  let world: InteractionsWorld;
  const poolSize = 4;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        DATABASE_POOL_SIZE: String(poolSize),
        DATABASE_CONNECTION_TIMEOUT_MS: '5000',
        DATABASE_STATEMENT_TIMEOUT_MS: '300',
        ANSWER_BUDGET_MS: '10000',
      },
    });
  });
  afterAll(() => world.stop());

  it('leave the connections to others, so that all are answered once the tracker is free', async () => {
    const locker = testPool({ connectionString: world.database.url, max: 1, options: '-c search_path=interactions' });
    const underWay = async () => {
      const { rows } = await world.sql.query<{ statement: string }>(
        `select pid || ' ' || query_start as statement from pg_stat_activity
          where datname = current_database() and state = 'active' and query like 'insert into%'`,
      );
      return rows.map(({ statement }) => statement);
    };
    try {
      await locker.query('begin; lock table "network_interactions_trackerDev" in access exclusive mode');
      const triggers = Array.from({ length: 2 * poolSize }, (_, n) =>
        world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person(`waits-${n}`)] }),
      );
      // As many statements as there are connections run out of time.
      const begun = new Set<string>();
      for (let running: string[] = []; begun.size - running.length < poolSize;) {
        running = await underWay();
        for (const statement of running) begun.add(statement);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await locker.query('commit');
      expect((await Promise.all(triggers)).map(({ status }) => status)).toEqual(triggers.map(() => 200));
    } finally {
      await locker.end();
    }
  });
});
