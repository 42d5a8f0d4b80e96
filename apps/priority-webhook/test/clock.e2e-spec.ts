// Webhooks around midnight, on replicas whose clocks differ.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { profileBackupBucket } from '@tradewind/shared-types';
import { withClockAt } from '@tradewind/testkit';
import { eventually, profileBody, startApp, type TestApp } from './priority-webhook-app.js';

describe('webhooks and clocks', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  const monthsOf = (username: string) =>
    app.query('select month, correlation_id as id from delivery where network_username = $1 order by id', [username]);
  const backupsOf = async (username: string) => {
    const names: string[] = [];
    for await (const name of app.objects.list(profileBackupBucket, `${username}_`)) names.push(name);
    return names.sort();
  };

  it.each([
    ['2026-02-28T23:59:50.000Z', '2026-02', '2026022823595'],
    ['2026-03-01T00:00:00.000Z', '2026-03', '2026030100000'],
    ['2028-02-29T23:59:50.000Z', '2028-02', '2028022923595'],
    ['2026-12-31T23:59:50.000Z', '2026-12', '2026123123595'],
  ])(
    'a webhook of %s that nobody asked for belongs to %s, its backup begins with %s',
    async (instant, month, stamp) => {
      const username = `at-${stamp}`;
      await withClockAt(instant, () => app.deliver(profileBody(username)));
      expect(await monthsOf(username)).toEqual([{ month, id: null }]);
      await eventually(async () =>
        expect(await backupsOf(username)).toEqual([
          expect.stringMatching(new RegExp(`^${username}_${stamp}\\d\\.json$`)),
        ]),
      );
    },
  );

  it.each([
    ['2026-03-01T00:00:01.000Z', '2026-02'],
    // The replica that asked was 2 s ahead.
    ['2026-02-28T23:59:58.000Z', '2026-03'],
  ])('a webhook of %s belongs to the month of its scrape, %s', async (instant, month) => {
    const username = `asked-in-${month}`;
    const headers = { 'x-correlation-id': `${month}.scrape` };
    await withClockAt(instant, () => app.deliver(profileBody(username), headers));
    expect(await monthsOf(username)).toEqual([{ month, id: `${month}.scrape` }]);
  });

  it('keeps what arrives when the clock goes back over a second that it has had', async () => {
    const instant = '2026-02-28T23:59:55.000Z';
    for (const name of ['first', 'second', 'third'])
      await withClockAt(instant, () => app.deliver(profileBody('again', { name })));
    expect(await monthsOf('again')).toHaveLength(3);
    await eventually(async () => expect(await backupsOf('again')).toHaveLength(3));
  });
});
