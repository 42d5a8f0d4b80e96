// A database that is stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults } from '@tradewind/testkit';
import { serviceToken, startApp, type TestApp } from './coordinator-app.js';

describe('a database that is stuck', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({
      DATABASE_POOL_SIZE: '3',
      DATABASE_CONNECTION_TIMEOUT_MS: '500',
      DATABASE_STATEMENT_TIMEOUT_MS: '800',
    });
  });
  afterAll(() => app.close());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    const run = await app.runToEnd();
    const ask = (method: string, path: string) => () =>
      fetch(app.url + path, { method, headers: { authorization: `Bearer ${serviceToken}` } });
    const requests = {
      'a run': ask('GET', `/runs/${run.run_id}`),
      'the runs': ask('GET', '/runs'),
      'the start of a run': ask('POST', '/run'),
    };
    const faults = await saturationFaults({
      databaseUrl: app.databaseUrl,
      schema: 'coordinator',
      requests,
      parallel: 4,
      answerMsMax: 5000,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
