import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, profileBody, startApp, type TestApp } from './priority-webhook-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('removes finished deliveries with their month, and keeps unfinished, late and recent ones', async () => {
  for (const name of ['done', 'unfinished', 'late']) {
    await app.deliver(profileBody(name), { 'x-correlation-id': `2020-01.${name}` });
  }
  await app.deliver(profileBody('recent'));
  await app.deliver({ marker: 'old' });
  await app.deliver({ marker: 'new' });
  await eventually(async () => {
    expect(await app.query('select from open_delivery')).toEqual([]);
  });
  await app.query(`update delivery set received_at = '2020-01-15' where network_username in ('done', 'unfinished')`);
  await app.query(`insert into open_delivery(id, received_at, body_bytes, due_at)
    select id, received_at, 0, '2999-01-01' from delivery where network_username = 'unfinished'`);
  await app.query(`update unusable_payload set last_received_at = '2020-01-15' where body::jsonb ->> 'marker' = 'old'`);
  // The first pass of a process is at its start. Two processes start at the same time, and both may do the work.
  await Promise.all([app.replica(), app.replica()]);
  await eventually(async () => {
    expect(await app.query('select network_username as n from delivery order by 1')).toEqual([
      { n: 'late' },
      { n: 'recent' },
      { n: 'unfinished' },
    ]);
    expect(await app.query(`select body ->> 'marker' as m from unusable_payload`)).toEqual([{ m: 'new' }]);
  }, 60_000);
}, 120_000);
