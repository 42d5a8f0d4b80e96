// Months: runs, who is missing, dead letters and the history of a profile.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { axeFaults } from '@tradewind/testkit';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

const goodPerson = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';

export function describeMonths(visitor: () => ConsoleVisitor): void {
  describe('months', () => {
    /** Pushes what the queue would push; the month is the present one. */
    async function push(profiles: unknown[]): Promise<void> {
      const response = await visitor().post(`${visitor().platform.url('priority-api')}/batch-trigger/`, {
        message: {
          data: Buffer.from(JSON.stringify({ profiles })).toString('base64'),
          attributes: { batch_number: '1', total_batches: '1' },
          messageId: randomUUID(),
        },
      });
      expect(response.status).toBe(200);
    }

    // The first dead letter, which nobody handles.
    beforeAll(async () => push([]));

    const run = async (body: object) =>
      (await (await visitor().post(`${visitor().platform.url('coordinator')}/run`, body)).json()) as {
        run_id: string;
        month: string;
      };
    /** Of the run that the tests share. */
    let month: string;
    let runId: string;

    it('shows the progress of a month and who is missing, and retries them by the plan', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Months');
        await page.getByText('No month has a run yet.').waitFor();
        await visitor().setFaults([{ on: 'profile', kind: 'fail', times: 3 }]);
        ({ month, run_id: runId } = await run({}));
        const missing = page.getByRole('region', { name: 'Missing profiles' }).getByRole('row');
        await page.goto(`${visitor().origin}/months?month=${month}`);
        await page.getByText('3 of these ended without a profile.').waitFor({ timeout: 60_000 });
        // The head, and the three.
        for (let tries = 0; tries < 300 && (await missing.count()) !== 4; tries++) await page.waitForTimeout(100);
        expect(await missing.count()).toBe(4);
        for (const scheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          expect(await axeFaults(page)).toEqual([]);
        }
        await page.getByRole('button', { name: 'Retry the missing' }).click();
        const retry = page.getByRole('dialog', { name: `Retry the missing of ${month}` });
        await retry.getByText('Will start again').waitFor();
        expect(await retry.locator('dd').first().textContent()).toBe('3');
        expect(await axeFaults(page)).toEqual([]);
        await retry.getByRole('button', { name: 'Start again' }).click();
        await retry.getByText('Started again: 3.').waitFor();
        await retry.getByRole('button', { name: 'Done' }).click();
        await page.getByText('Nobody is missing: everything is stored and backed up.').waitFor({ timeout: 60_000 });
        await page.goto(`${visitor().origin}/months?month=1999-01`);
        await page.getByText('The month 1999-01 has no run.').waitFor();
      });
    });

    it('shows a calendar of the months that have runs, and the runs of one', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/months`);
        const year = month.slice(0, 4);
        const calendar = page.getByRole('region', { name: `Runs in ${year}` });
        await calendar.getByRole('link', { name: /250 profiles/ }).waitFor({ timeout: 60_000 });
        expect(await calendar.getByRole('listitem').count()).toBe(12);
        const completed = async () =>
          ((await (await fetch(`${visitor().platform.url('coordinator')}/runs/${runId}`)).json()) as { status: string })
            .status;
        for (let tries = 0; tries < 300 && (await completed()) !== 'completed'; tries += 1)
          await page.waitForTimeout(100);
        await run({ dry_run: true });
        await calendar.getByRole('link', { name: /250 profiles/ }).click();
        await page.waitForURL((url) => url.searchParams.get('month') === month);
        // The month that is shown is marked, whether or not the address names it.
        const mark = await calendar
          .getByRole('link', { name: /250 profiles/ })
          .evaluate((link) => getComputedStyle(link).boxShadow);
        expect(mark).toContain('inset');
        await page.reload();
        const runs = page.getByRole('region', { name: 'Runs', exact: true });
        await runs.getByText('everybody', { exact: true }).waitFor();
        await runs.getByText('only counted').waitFor();
        await page.goto(`${visitor().origin}/months?year=1999`);
        await page.getByText('The year 1999 has no run.').waitFor();
      });
    });

    it('redrives a dead letter by its plan, corrected, and shows what came of its profile', async () => {
      await push([{ network_username: 'to-redrive', person_id: 'no UUID' }]);
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.getByRole('link', { name: 'Months' }).click();
        await page.getByRole('link', { name: 'Dead letters' }).click();
        const letters = page.getByRole('region', { name: 'Dead letters' });
        await letters
          .getByRole('row')
          .filter({ hasText: 'profiles.0.person_id must be a UUID' })
          .getByRole('link')
          .click();
        await page.getByRole('region', { name: 'What the message holds' }).getByText('"to-redrive"').waitFor();
        await page.getByRole('button', { name: 'Correct and receive again' }).click();
        const dialog = page.getByRole('dialog', { name: /^Receive dead letter \d+ again$/ });
        const content = dialog.getByLabel('What the message holds');
        // Not corrected, it is refused with the reason, by the plan already.
        await dialog.getByRole('button', { name: 'Show the plan' }).click();
        await dialog.getByRole('alert').getByText('profiles.0.person_id must be a UUID').waitFor();
        await content.fill('{"profiles": [');
        await dialog.getByRole('button', { name: 'Show the plan' }).click();
        await dialog.getByText(/^This is not JSON/).waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await content.fill(
          JSON.stringify({ profiles: [{ network_username: 'to-redrive', person_id: goodPerson }] }, null, 2),
        );
        await dialog.getByRole('button', { name: 'Show the plan' }).click();
        await dialog
          .getByText(/^It holds 1 profile of \d{4}-\d\d\. All of them will start, and each is paid for\.$/)
          .waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await dialog.getByRole('button', { name: 'Receive again' }).click();
        const done = page.getByRole('dialog', { name: 'Received again' });
        await done.getByText('1 profile of 1 started at once.').waitFor();
        await done.getByRole('button', { name: 'Done' }).click();
        await page.getByText('redriven', { exact: true }).waitFor();
        await page.getByRole('region', { name: 'What was received instead' }).waitFor();
        await page.getByRole('link', { name: 'Dead letters' }).click();
        // The list as it was is shown until the new one is there.
        await letters.getByText('profiles.0.person_id must be a UUID').waitFor({ state: 'detached' });
        await letters.getByRole('link').first().waitFor();
        // The provider sends the profile some moments later.
        await page.getByRole('link', { name: 'Profiles' }).click();
        await page.getByLabel('Handle or address of the profile').fill('to-redrive');
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        const sent = page.getByRole('region', { name: 'Deliveries' }).getByRole('row');
        for (let tries = 0; tries < 100 && (await sent.count()) < 2; tries += 1) {
          await page.waitForTimeout(200);
          await page.reload();
          await page.getByRole('heading', { name: 'What the provider sent' }).waitFor();
        }
        await sent.nth(1).getByText('success', { exact: true }).waitFor();
        await sent.nth(1).getByRole('button', { name: 'Show' }).click();
        await page
          .getByRole('region', { name: /^Stored JSON of/ })
          .getByText('to-redrive')
          .first()
          .waitFor();
        expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^\d+$/);
        expect(await axeFaults(page)).toEqual([]);
        await page
          .getByRole('region', { name: 'Months of the profile' })
          .getByText('started', { exact: true })
          .waitFor();
      });
    });

    it('drops a dead letter with the reason, which stays in the list of all', async () => {
      await push([]);
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/months/dead-letters`);
        const letters = page.getByRole('region', { name: 'Dead letters' });
        await letters.getByRole('link').first().click();
        await page.getByRole('button', { name: 'Drop' }).click();
        const dialog = page.getByRole('dialog', { name: /^Drop dead letter \d+\?$/ });
        await dialog.getByLabel('Reason').fill('a message of a test');
        expect(await axeFaults(page)).toEqual([]);
        await dialog.getByRole('button', { name: 'Drop' }).click();
        await page.getByText('a message of a test').waitFor();
        expect(await page.getByRole('button', { name: 'Drop' }).count()).toBe(0);
        await page.goto(`${visitor().origin}/months/dead-letters?show=all`);
        await letters.getByText('dropped', { exact: true }).waitFor();
      });
    });
  });
}
