// A database that is stuck: every request is refused in time, and works again at once.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings } from '@tradewind/testkit';
import { profileBody, serviceToken, startApp, webhookSecret, type TestApp } from './priority-webhook-app.js';

describe('a database that is stuck', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(saturationSettings);
  });
  afterAll(() => app.close());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    const post = (path: string, headers: Record<string, string>, body: object) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const authorization = `Bearer ${serviceToken}`;
    const requests = {
      'a webhook': () =>
        post('/webhook/network', { 'x-webhook-secret': webhookSecret }, profileBody(`handle-${randomUUID()}`)),
      'a look-up': () =>
        post(
          `/months/${new Date().toISOString().slice(0, 7)}/profiles/lookup`,
          { authorization },
          { network_usernames: ['ada'] },
        ),
    };
    const faults = await saturationFaults({
      databaseUrl: app.databaseUrl,
      schema: 'priority_webhook',
      requests,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
