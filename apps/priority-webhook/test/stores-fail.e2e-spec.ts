import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { profileBackupBucket } from '@tradewind/shared-types';
import { Relay } from '@tradewind/testkit';
import { deliverTo, eventually, profileBody, startApp, type TestApp } from './priority-webhook-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startApp({ STORE_TIMEOUT_MS: '1000', DELIVERY_WAIT_MS: '1500' });
});
afterEach(() => app.close());

const stored = async (username: string) =>
  (await app.query('select 1 from warehouse.scraped_profile_calls where "requestResource" = $1', [username])).length;
const backups = async (username: string) => {
  const names: string[] = [];
  for await (const name of app.objects.list(profileBackupBucket, `${username}_`)) names.push(name);
  return names.length;
};
const objectStoreState = async () => {
  const ready = (await (await fetch(`${app.url}/ready`)).json()) as { dependencies: Record<string, string> };
  return ready.dependencies['object_store'];
};
const dependencyMetrics = async (url: string) =>
  (await (await fetch(url)).text())
    .split('\n')
    .filter((line) => line.startsWith('dependency_up{'))
    .sort();
const inbox = async () =>
  app.query('select is_stored as s, is_backed_up as b, last_error as e from open_delivery order by id');

describe('a store that fails for a while', () => {
  it('the warehouse: the answer says so, and the row follows once it is back', async () => {
    await app.query('alter table warehouse.scraped_profile_calls rename to away');
    const answer = await app.deliver(profileBody('jane'));
    expect(answer).toEqual({
      status: 200,
      body: { status: 'success', saved_to_warehouse: false, backed_up_to_storage: true },
    });
    // The attempt is recorded after the answer.
    await eventually(async () =>
      expect(await inbox()).toEqual([{ s: false, b: true, e: expect.stringMatching(/^warehouse: /) }]),
    );
    expect(await (await fetch(app.running.metricsUrl)).text()).toMatch(
      /tradewind_priority_webhook_oldest_undelivered_profile_seconds 0\.\d+/,
    );
    await app.query('alter table warehouse.away rename to scraped_profile_calls');
    await eventually(async () => {
      expect(await stored('jane')).toBe(1);
      expect(await inbox()).toEqual([]);
    });
    expect(await backups('jane')).toBe(1);
    expect((await app.deliver(profileBody('jane'))).body).toMatchObject({
      saved_to_warehouse: true,
      backed_up_to_storage: true,
    });
    expect(await stored('jane')).toBe(1);
  });

  it('the object store: the answer says so, and the object follows once it is back', async () => {
    const bucket = join(app.objectDir, profileBackupBucket);
    await writeFile(bucket, 'a file where the folder should be');
    const answer = await app.deliver(profileBody('jane'));
    expect(answer.body).toEqual({ status: 'success', saved_to_warehouse: true, backed_up_to_storage: false });
    expect(await objectStoreState()).toBe('down');
    await rm(bucket);
    await eventually(async () => expect(await objectStoreState()).toBe('up'));
    await eventually(async () => expect(await backups('jane')).toBe(1));
    expect(await stored('jane')).toBe(1);
  });

  it('the object store: the service stays ready, and says what waits', async () => {
    const bucket = join(app.objectDir, profileBackupBucket);
    await writeFile(bucket, 'a file where the folder should be');
    const ready = await fetch(`${app.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        service: 'priority-webhook',
        dependencies: { postgres: 'up', warehouse: 'up', object_store: 'down' },
        degraded: { object_store: expect.stringContaining('backed up later') },
      },
    ]);
    expect(await dependencyMetrics(app.running.metricsUrl)).toEqual([
      'dependency_up{name="object_store",essential="false"} 0',
      'dependency_up{name="postgres",essential="true"} 1',
      'dependency_up{name="warehouse",essential="false"} 1',
    ]);
  });

  it('both stores at the start: the service starts, keeps what it receives, and stores it once they are back', async () => {
    const warehouse = await Relay.to(new URL(app.databaseUrl));
    warehouse.down();
    const address = new URL(app.databaseUrl);
    address.port = String(warehouse.port);
    const objectDir = join(app.objectDir, 'elsewhere');
    await writeFile(objectDir, 'a file where the folder should be');
    try {
      const replica = await app.replica({ WAREHOUSE_DATABASE_URL: address.href, OBJECT_STORE_DIR: objectDir });
      const ready = await fetch(`${replica.url}/ready`);
      expect([ready.status, await ready.json()]).toMatchObject([
        200,
        { status: 'ready', dependencies: { postgres: 'up', warehouse: 'down', object_store: 'down' } },
      ]);
      expect(await deliverTo(replica.url, profileBody('early'))).toMatchObject({
        status: 200,
        body: { status: 'success', saved_to_warehouse: false, backed_up_to_storage: false },
      });
      warehouse.up();
      await rm(objectDir);
      await eventually(async () => expect(await stored('early')).toBe(1));
    } finally {
      warehouse.close();
    }
  });

  it('the bucket of the settings is used', async () => {
    const other = await app.replica({ OBJECT_STORE_BUCKET: 'acme-priority-people' });
    expect((await deliverTo(other.url, profileBody('elsewhere'))).body).toMatchObject({ backed_up_to_storage: true });
    const names: string[] = [];
    for await (const name of app.objects.list('acme-priority-people', 'elsewhere_')) names.push(name);
    expect(names).toHaveLength(1);
    expect(await backups('elsewhere')).toBe(0);
  });

  it('one that hangs: the answer comes in time and says what is not done', async () => {
    // An open transaction that holds the table makes every append wait.
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table warehouse.scraped_profile_calls in access exclusive mode');
    const before = Date.now();
    const answer = await app.deliver(profileBody('jane'));
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(answer.body).toMatchObject({ status: 'success', saved_to_warehouse: false, backed_up_to_storage: true });
    await holder.query('commit');
    await holder.end();
    await eventually(async () => expect(await stored('jane')).toBe(1));
  });

  it('deliveries beyond DELIVERY_QUEUE_MAX wait in the inbox, and the answers say so', async () => {
    const small = await app.replica({ DELIVERY_QUEUE_MAX: '0' });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => deliverTo(small.url, profileBody(`waits-${index}`))),
    );
    for (const { body } of answers)
      expect(body).toMatchObject({ saved_to_warehouse: false, backed_up_to_storage: false });
    await eventually(async () => {
      expect(await inbox()).toEqual([]);
    });
    for (let index = 0; index < 30; index++) {
      expect([await stored(`waits-${index}`), await backups(`waits-${index}`)]).toEqual([1, 1]);
    }
  });

  it('a single delivery after a burst is stored before its answer', async () => {
    // The other replica works off the inbox.
    const small = await app.replica({ DELIVERY_QUEUE_MAX: '1', LOOP_INTERVAL_MS: '600000' });
    const burst = Array.from({ length: 30 }, (_, index) => deliverTo(small.url, profileBody(`burst-${index}`)));
    const saved = (await Promise.all(burst)).map(({ body }) => body['saved_to_warehouse']);
    expect(saved).toContain(false);
    await eventually(async () => expect(await inbox()).toEqual([]));
    expect((await deliverTo(small.url, profileBody('single'))).body).toMatchObject({
      saved_to_warehouse: true,
      backed_up_to_storage: true,
    });
  });

  it('the inbox itself: the answer is an error, and claims to have kept nothing', async () => {
    await app.query('alter table delivery rename to delivery_away');
    const answer = await app.deliver(profileBody('jane'));
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await stored('jane')).toBe(0);
    await app.query('alter table delivery_away rename to delivery');
    expect((await app.deliver(profileBody('jane'))).status).toBe(200);
  });
});
