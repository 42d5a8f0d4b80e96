// A database that is stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings } from '@tradewind/testkit';
import { serviceToken, startApp, type TestApp } from './coordinator-app.js';

describe('a database that is stuck', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(saturationSettings);
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
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
