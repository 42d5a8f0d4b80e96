// Without warehouse and queue the service starts and stays ready, and a run continues once they are back.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startService, type RunningService } from '@tradewind/service-kit';
import { Relay } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';
import {
  eventually,
  pushedUsernames,
  serviceToken,
  startApp,
  type AnswerBody,
  type TestApp,
} from './coordinator-app.js';

let app: TestApp;
let relay: Relay;
let late: RunningService<AppConfig> | undefined;
beforeEach(async () => {
  app = await startApp();
  relay = await Relay.to(new URL(app.databaseUrl));
});
afterEach(async () => {
  relay.up();
  await late?.close();
  relay.close();
  await app.close();
});

describe('without warehouse and queue', () => {
  it('it starts, is ready, accepts a run, and finishes it later', async () => {
    await app.addPeople([{ usernames: ['ada'] }, { usernames: ['grace'] }]);
    // No other process may finish the run.
    await app.running.close();
    relay.down();
    const address = new URL(app.databaseUrl);
    address.port = String(relay.port);
    late = await startService(service, {
      env: { ...app.env, WAREHOUSE_DATABASE_URL: address.href, QUEUE_DATABASE_URL: address.href },
    });
    const ready = await fetch(`${late.url}/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ready', dependencies: { postgres: 'up', warehouse: 'down', queue: 'down' } },
    ]);
    const { url } = late;
    const request = async (method: string, path: string) => {
      const answer = await fetch(url + path, { method, headers: { authorization: `Bearer ${serviceToken}` } });
      return { status: answer.status, body: (await answer.json()) as AnswerBody };
    };
    const begun = await request('POST', '/run');
    expect(begun.status).toBe(202);
    const run = async () => (await request('GET', `/runs/${begun.body.run_id}`)).body;
    await eventually(async () => expect((await run()).last_error).toEqual(expect.any(String)));
    relay.up();
    await eventually(async () => expect((await run()).status).toBe('completed'));
    await eventually(() => expect(pushedUsernames(app.neighbours).sort()).toEqual(['ada', 'grace']));
  });
});
