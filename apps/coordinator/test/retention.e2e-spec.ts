import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import { service } from '../src/service.js';
import { eventually, startApp, type TestApp } from './coordinator-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('batches are removed with their month; the run stays, and its month is not published again', async () => {
  await app.addPeople(Array.from({ length: 25 }, (_, index) => ({ usernames: [`person-${index}`] })));
  const old = await app.runToEnd({ month: '2020-01' });
  const late = await app.runToEnd({ month: '2020-02' });
  const recent = await app.runToEnd();
  expect((await app.request('GET', '/months/2020-01/report')).status).toBe(200);
  await app.query(`update run set created_at = '2020-01-01', finished_at = '2020-01-01' where run_id = $1`, [
    old.run_id,
  ]);
  const successor = await startService(service, { env: app.env });
  try {
    await eventually(async () => {
      const left = await app.query<{ run_id: string }>('select distinct run_id from run_batch');
      expect(left.map(({ run_id }) => run_id).sort()).toEqual([late.run_id, recent.run_id].sort());
    }, 60_000);
  } finally {
    await successor.close();
  }
  expect(await app.request('GET', '/months/2020-01/report')).toMatchObject({
    status: 404,
    body: {
      message: expect.stringMatching(/^2020-01 is kept no longer; the oldest month that is kept is \d{4}-\d\d$/),
    },
  });
  expect((await app.request('GET', '/months/2020-02/report')).status).toBe(200);
  expect((await app.request('GET', `/months/${monthOf(new Date())}/report`)).body.selected).toBe(25);
  expect((await app.request('POST', '/run', { month: '2020-01' })).body).toMatchObject({
    run_id: old.run_id,
    outcome: 'already_published',
  });
}, 120_000);
