// A database that is stuck: every request is refused in time, and works again at once.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings } from '@tradewind/testkit';
import { envelope, pushToken, serviceToken, startApp, type TestApp } from './priority-api-app.js';

describe('a database that is stuck', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(saturationSettings);
  });
  afterAll(() => app.close());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    const post = (path: string, token: string, body: object) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
    const profiles = () => [{ network_username: `handle-${randomUUID()}`, person_id: randomUUID() }];
    const requests = {
      'a batch': () => post('/batch-trigger/', pushToken, envelope({ profiles: profiles() })),
      'a malformed batch': () => post('/batch-trigger/', pushToken, envelope({ data: 'nonsense' })),
      'a look-up': () =>
        post(`/months/${new Date().toISOString().slice(0, 7)}/profiles/lookup`, serviceToken, {
          network_usernames: ['ada'],
        }),
    };
    const faults = await saturationFaults({
      databaseUrl: app.env['DATABASE_URL']!,
      schema: 'priority_api',
      requests,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
