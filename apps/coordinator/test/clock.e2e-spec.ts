// Runs around midnight: replicas whose clocks differ, a clock that goes back, and a run that outlasts its month.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClockAt } from '@tradewind/testkit';
import { batchOf, eventually, startApp, type TestApp } from './coordinator-app.js';

describe('runs and clocks', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ RESUME_INTERVAL_MS: '200' });
    await app.addPeople([{ usernames: ['ada'] }]);
  });
  afterAll(() => app.close());

  /** Starts a run as the scheduler does, and waits for its end with the same clock. */
  const runAt = (instant: string) =>
    withClockAt(instant, async () => {
      const { body } = await app.request('POST', '/run');
      await app.untilCompleted(body.run_id);
      return [body['month'], body['outcome']];
    });
  const publishedMonths = () =>
    app.neighbours.pushed.flatMap((message) =>
      batchOf(message).profiles.map(({ network_username: name }) => `${name} ${String(message.attributes['month'])}`),
    );

  it.each([
    ['2026-02-28', '2026-02', '2026-03-01', '2026-03'],
    ['2028-02-29', '2028-02', '2028-03-01', '2028-03'],
    ['2026-12-31', '2026-12', '2027-01-01', '2027-01'],
  ])('each month is published once around the midnight of %s', async (day, month, nextDay, nextMonth) => {
    app.neighbours.pushed.length = 0;
    expect(await runAt(`${day}T23:59:50.000Z`)).toEqual([month, 'started']);
    // On a replica whose clock is ahead the new month has begun.
    expect(await runAt(`${nextDay}T00:00:00.000Z`)).toEqual([nextMonth, 'started']);
    // The clock goes back, and comes to midnight once more: the scheduler fires again in both months.
    expect(await runAt(`${day}T23:59:45.000Z`)).toEqual([month, 'already_published']);
    expect(await runAt(`${nextDay}T00:00:00.000Z`)).toEqual([nextMonth, 'already_published']);
    await eventually(() => expect(publishedMonths().sort()).toEqual([`ada ${month}`, `ada ${nextMonth}`]));
  });

  it('a run that another process began before midnight ends in its own month', async () => {
    app.neighbours.pushed.length = 0;
    const [left] = await app.query<{ run_id: string }>(
      `insert into run(month, state, forced, dry_run) values ('2026-04', 'selecting', false, false) returning run_id`,
    );
    const next = await withClockAt('2026-05-01T00:00:01.000Z', async () => {
      await app.untilCompleted(left!.run_id);
      return app.runToEnd();
    });
    expect(next['month']).toBe('2026-05');
    await eventually(() => expect(publishedMonths().sort()).toEqual(['ada 2026-04', 'ada 2026-05']));
  });
});
