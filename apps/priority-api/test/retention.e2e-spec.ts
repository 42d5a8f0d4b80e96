import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, startApp, type TestApp } from './priority-api-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('removes settled rows with their month, and keeps awaited, late and recent ones and open dead letters', async () => {
  await app.query(
    `insert into profile_call(month, network_username, generation, person_id, state, correlation_id, due_at, created_at, started_at, delivered_at, watched_at)
     select '2020-01', name, 'monthly', gen_random_uuid(), state, name, '2999-01-01', at::timestamptz, '2020-01-15', delivered_at::timestamptz, '2999-01-01'
     from (values ('delivered', 'started', '2020-01-15', '2020-01-16'), ('refused', 'refused', '2020-01-15', null),
                  ('awaited', 'started', '2020-01-15', null), ('pending', 'pending', '2020-01-15', null),
                  ('late', 'started', now()::text, now()::text)) as c(name, state, at, delivered_at)`,
  );
  await app.query(
    `insert into profile_call(month, network_username, generation, person_id, state, correlation_id, due_at, delivered_at)
     values (to_char(now(), 'YYYY-MM'), 'recent', 'monthly', gen_random_uuid(), 'started', 'recent', now(), now())`,
  );
  await app.query(
    `insert into batch_message(message_id, month, batch_number, total_batches, profiles, last_received_at)
     values ('old', '2020-01', 1, 1, 1, '2020-01-15'), ('new', '2020-01', 1, 1, 1, now())`,
  );
  await app.query(
    `insert into dead_letter(fingerprint, reason, message, last_received_at, redriven_at)
     values ('open', 'r', '{}', '2020-01-15', null), ('redriven', 'r', '{}', '2020-01-15', '2020-01-16')`,
  );
  // The first pass of a process is at its start. Two processes start at the same time, and both may do the work.
  await Promise.all([app.replica(), app.replica()]);
  await eventually(async () => {
    expect(await app.query('select network_username as n from profile_call order by 1')).toEqual(
      ['awaited', 'late', 'pending', 'recent'].map((n) => ({ n })),
    );
    expect(await app.query('select message_id as m from batch_message')).toEqual([{ m: 'new' }]);
    expect(await app.query('select fingerprint as f from dead_letter')).toEqual([{ f: 'open' }]);
  });
}, 120_000);
