/// <reference lib="dom" />
// What operators do in the console, in Chromium, on a platform of its own: months and their dead letters, jobs and
// their items, costs and budgets.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PlatformProcess, startTimeoutMs } from '../src/platform-process.js';
import { accessibilityFaults as violations, accounts, signInToConsole, visitConsole } from './console-visitor.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const goodPerson = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';

describe('the console of operators', () => {
  let platform: PlatformProcess;
  let browser: Browser;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      PlatformProcess.start({ env: { REQUESTS_PER_MINUTE: '100000' } }),
      launchBrowser(),
    ]);
    // The first dead letter, which nobody handles.
    await push([]);
  }, startTimeoutMs + 10_000);
  afterAll(async () => {
    await browser?.close();
    await platform?.remove();
  }, 60_000);

  const origin = () => `http://localhost:${platform.portBase + 6}`;
  const visit = (options: BrowserContextOptions, act: (page: Page) => Promise<void>) =>
    visitConsole(browser, options, async (page) => {
      await signInToConsole(page, origin(), accounts.admin);
      await act(page);
    });

  /** Pushes what the queue would push; the month is the present one. */
  async function push(profiles: unknown[]): Promise<void> {
    const response = await fetch(`${platform.url('priority-api')}/batch-trigger/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        message: {
          data: Buffer.from(JSON.stringify({ profiles })).toString('base64'),
          attributes: { batch_number: '1', total_batches: '1' },
          messageId: randomUUID(),
        },
      }),
    });
    expect(response.status).toBe(200);
  }

  it('redrives a dead letter by its plan, corrected, and shows what came of its profile', async () => {
    await push([{ network_username: 'to-redrive', person_id: 'no UUID' }]);
    await visit({}, async (page) => {
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
      expect(await violations(page)).toEqual([]);
      await content.fill(
        JSON.stringify({ profiles: [{ network_username: 'to-redrive', person_id: goodPerson }] }, null, 2),
      );
      await dialog.getByRole('button', { name: 'Show the plan' }).click();
      await dialog
        .getByText(/^It holds 1 profile of \d{4}-\d\d\. All of them will start, and each is paid for\.$/)
        .waitFor();
      expect(await violations(page)).toEqual([]);
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
      expect(await violations(page)).toEqual([]);
      await page.getByRole('region', { name: 'Months of the profile' }).getByText('started', { exact: true }).waitFor();
    });
  });

  it('drops a dead letter with the reason, which stays in the list of all', async () => {
    await push([]);
    await visit({}, async (page) => {
      await page.goto(`${origin()}/months/dead-letters`);
      const letters = page.getByRole('region', { name: 'Dead letters' });
      await letters.getByRole('link').first().click();
      await page.getByRole('button', { name: 'Drop' }).click();
      const dialog = page.getByRole('dialog', { name: /^Drop dead letter \d+\?$/ });
      await dialog.getByLabel('Reason').fill('a message of a test');
      expect(await violations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Drop' }).click();
      await page.getByText('a message of a test').waitFor();
      expect(await page.getByRole('button', { name: 'Drop' }).count()).toBe(0);
      await page.goto(`${origin()}/months/dead-letters?show=all`);
      await letters.getByText('dropped', { exact: true }).waitFor();
    });
  });

  it('shows a calendar of the months that have runs, and the runs of one', async () => {
    const run = async (body: object) => {
      const response = await fetch(`${platform.url('coordinator')}/run`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { run_id: string; month: string };
    };
    const { month, run_id: id } = await run({});
    await visit({}, async (page) => {
      await page.goto(`${origin()}/months`);
      const year = month.slice(0, 4);
      const calendar = page.getByRole('region', { name: `Runs in ${year}` });
      await calendar.getByRole('link', { name: /250 profiles/ }).waitFor({ timeout: 60_000 });
      expect(await calendar.getByRole('listitem').count()).toBe(12);
      const completed = async () =>
        ((await (await fetch(`${platform.url('coordinator')}/runs/${id}`)).json()) as { status: string }).status;
      for (let tries = 0; tries < 300 && (await completed()) !== 'completed'; tries += 1)
        await page.waitForTimeout(100);
      await run({ dry_run: true });
      await calendar.getByRole('link', { name: /250 profiles/ }).click();
      await page.waitForURL((url) => url.searchParams.get('month') === month);
      await page.reload();
      const runs = page.getByRole('region', { name: 'Runs', exact: true });
      await runs.getByText('everybody', { exact: true }).waitFor();
      await runs.getByText('only counted').waitFor();
      await page.goto(`${origin()}/months?year=1999`);
      await page.getByText('The year 1999 has no run.').waitFor();
    });
  });

  async function start(companyId: string, handles: string[]): Promise<string[]> {
    const response = await fetch(`${platform.url('interactions')}/scraper/network/interactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_company_id: companyId,
        targets: handles.map((handle) => ({ network_handle: handle, entity: 'PERSON' })),
      }),
    });
    const { results } = (await response.json()) as { results: { run_id?: string; error: string | null }[] };
    return results.map(({ run_id: id, error }) => id ?? String(error));
  }

  it('shows what a job has stored, page by page', async () => {
    const [runId] = await start('console-items', ['ada-lovelace']);
    await visit({}, async (page) => {
      await page.goto(`${origin()}/jobs/${runId}`);
      await page.getByText('completed', { exact: true }).waitFor({ timeout: 60_000 });
      const items = page.getByRole('region', { name: 'Items' });
      const kinds = items.getByRole('navigation', { name: 'Kinds of items' });
      const countOf = async (kind: string) =>
        Number(/\((\d+)\)/.exec((await kinds.getByRole('link', { name: kind }).textContent())!)![1]);
      const posts = await countOf('Posts');
      expect(posts).toBeGreaterThan(0);
      const shown = items.locator('ol > li');
      await shown.first().waitFor();
      expect(await shown.count()).toBe(Math.min(posts, 20));
      await kinds.getByRole('link', { name: 'Reactions' }).click();
      await page.waitForURL((url) => url.searchParams.get('items') === 'reaction');
      const reactions = await countOf('Reactions');
      const more = items.getByRole('button', { name: 'More reactions' });
      for (let seen = 20; seen < reactions; seen += 20) {
        await more.click();
        await shown.nth(Math.min(seen + 20, reactions) - 1).waitFor();
      }
      await shown.nth(reactions - 1).waitFor();
      expect(await shown.count()).toBe(reactions);
      expect(await more.count()).toBe(0);
      expect(await violations(page)).toEqual([]);
    });
  });

  it('sets the budget of a company, by which a start is refused, and shows its costs by day', async () => {
    await start('console-budget', ['grace-hopper']);
    await visit({}, async (page) => {
      await page.goto(`${origin()}/jobs/costs`);
      await page.getByLabel('Company id').fill('console-budget');
      await page.getByRole('button', { name: 'Open' }).click();
      // The provider knows the cost some moments after the end of the run.
      const cost = page.getByRole('heading', { name: /^Cost in/ });
      await page.getByRole('term').filter({ hasText: 'Spent' }).waitFor();
      for (let tries = 0; tries < 100 && !(await cost.isVisible()); tries += 1) {
        await page.waitForTimeout(300);
        await page.reload();
        await page.getByRole('term').filter({ hasText: 'Spent' }).waitFor();
      }
      await cost.waitFor();
      await page.getByRole('button', { name: 'Change the budget' }).click();
      const dialog = page.getByRole('dialog', { name: 'Budget of console-budget' });
      await dialog.getByLabel('US dollars in a month').fill('0.000001');
      await dialog.getByText('Jobs that were accepted go on; no new one starts.').waitFor();
      expect(await violations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Set the budget' }).click();
      await page.getByRole('region', { name: 'Changes', exact: true }).getByText('$0.000001').waitFor();
      await page.getByText('all', { exact: true }).waitFor();
      await page.goto(`${origin()}/jobs?start=yes`);
      const starting = page.getByRole('dialog', { name: 'Start jobs' });
      await starting.getByLabel(/Handles or profile addresses/).fill('alan-turing');
      await starting.getByLabel('Company id').fill('console-budget');
      await starting.getByRole('button', { name: 'Start', exact: true }).click();
      await starting.getByText(/alan-turing: .*budget/).waitFor();
      // The overview says so, too.
      await page.goto(origin());
      const attention = page.getByRole('region', { name: 'Needs attention' });
      await attention
        .getByRole('listitem')
        .filter({ hasText: /console-budget has used all of its budget of \$0\.000001/ })
        .waitFor();
      await attention
        .getByRole('listitem')
        .filter({ hasText: /dead letters? could not be used/ })
        .waitFor();
      await page.goto(`${origin()}/jobs/costs/console-budget?set=yes`);
      await dialog.getByLabel(/as much as everybody/).check();
      await dialog.getByRole('button', { name: 'Set the budget' }).click();
      await page.getByText('that of everybody', { exact: true }).first().waitFor();
    });
    const [started] = await start('console-budget', ['alan-turing']);
    expect(started).not.toContain('budget');
  });

  it('shows an administrator the last days in charts, each with a table', async () => {
    await visit({}, async (page) => {
      const days = page.getByRole('region', { name: 'Last 30 days' });
      for (const name of ['Jobs by outcome', 'Items stored', 'Cost', 'Sign-ins']) {
        const rows = days.getByRole('table', { name: `${name} by day` }).getByRole('row');
        await rows.nth(30).waitFor({ state: 'attached' });
        expect(await rows.count()).toBe(31);
      }
      const today = days.getByRole('table', { name: 'Sign-ins by day' }).getByRole('row').last();
      expect(await today.getByRole('rowheader').textContent()).toBe(new Date().toISOString().slice(0, 10));
      expect(Number(await today.getByRole('cell').first().textContent())).toBeGreaterThan(0);
    });
  });

  const screens = [
    ...['/', '/jobs', '/jobs/costs', '/jobs/costs/console-budget', '/jobs/costs/console-budget?set=yes'],
    ...['/months', '/months/dead-letters?show=all', '/months/dead-letters/1', '/months/unusable-webhooks'],
    '/months/profiles?username=to-redrive',
  ];

  it.each([360, 1280].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))))(
    'has no fault that axe-core finds at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      await visit({ viewport: { width, height: 800 }, colorScheme }, async (page) => {
        for (const path of screens) {
          await page.goto(origin() + path);
          await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor();
          await page.waitForLoadState('networkidle');
          expect([path, await violations(page)]).toEqual([path, []]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      });
    },
  );
});
