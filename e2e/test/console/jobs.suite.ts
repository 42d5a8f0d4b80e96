// Jobs: start, follow, start again, abort, and what they stored.
import { describe, expect, it } from '@jest/globals';
import { axeFaults } from '@tradewind/testkit';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

export function describeJobs(visitor: () => ConsoleVisitor): void {
  describe('jobs', () => {
    it('starts a job and follows it to its end', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Jobs');
        await page.getByRole('button', { name: 'Start jobs' }).click();
        const dialog = page.getByRole('dialog', { name: 'Start jobs' });
        await dialog.getByLabel(/Handles or profile addresses/).fill('ada-lovelace\ngrace-hopper');
        await dialog.getByLabel('Company id').fill('console-test');
        await dialog.getByText('2 jobs, up to 220 items.').waitFor();
        await dialog.getByRole('button', { name: 'Start', exact: true }).click();
        await dialog.getByText('Triggered 2/2 jobs successfully.').waitFor();
        await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
        await page.getByRole('link', { name: 'ada-lovelace' }).click();
        await page.getByRole('heading', { name: 'ada-lovelace' }).waitFor();
        await page.getByText('completed', { exact: true }).waitFor({ timeout: 60_000 });
        const happened = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
        await happened.filter({ hasText: 'Start of a run: started' }).waitFor();
        await happened.filter({ hasText: 'The job is completed' }).waitFor();
        // What jobs of this company cost is known now.
        await page.goto(`${visitor().origin}/jobs?start=yes`);
        await dialog.getByLabel('Company id').fill('console-test');
        await dialog.getByLabel(/Handles or profile addresses/).fill('alan-turing');
        await dialog.getByText(/Expected cost \$\d+\.\d\d, as its last jobs on average\./).waitFor();
        // The filters are in the address, and a shared link shows the same after a sign-in.
        await page.goto(`${visitor().origin}/jobs?company=console-test&status=COMPLETED&handle=ada-lovelace`);
        await page.getByRole('link', { name: 'ada-lovelace' }).waitFor();
        expect(await page.getByRole('link', { name: 'grace-hopper' }).count()).toBe(0);
        expect(await page.getByLabel('State').inputValue()).toBe('COMPLETED');
      });
    });

    it('shows the plan before failed jobs start again and before jobs are aborted', async () => {
      await visitor().setFaults([
        { on: 'run', kind: 'fail', target: 'fails-once', times: 1 },
        { on: 'run', kind: 'never_ends', target: 'never-ends' },
      ]);
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/jobs?company=console-plans&start=yes`);
        const starting = page.getByRole('dialog', { name: 'Start jobs' });
        await starting.getByLabel(/Handles or profile addresses/).fill('fails-once\nnever-ends');
        await starting.getByLabel('Company id').fill('console-plans');
        await starting.getByRole('button', { name: 'Start', exact: true }).click();
        await starting.getByRole('button', { name: 'Close', exact: true }).last().click();
        await page.getByRole('link', { name: 'fails-once' }).click();
        await page.getByText('failed', { exact: true }).waitFor({ timeout: 60_000 });
        await page.getByRole('button', { name: 'Start again' }).click();
        const again = page.getByRole('dialog', { name: 'Start failed jobs again' });
        await again.getByText(/^One job of 1 will start\. Expected cost \$\d+\.\d\d, at most \$\d+\.\d\d\.$/).waitFor();
        await again.getByText('would start', { exact: true }).waitFor();
        await again.getByRole('button', { name: 'Start again' }).click();
        await again.getByText('One job started again.').waitFor();
        await again.getByRole('button', { name: 'Done' }).click();
        // It starts again once.
        await page.goto(`${visitor().origin}/jobs?company=console-plans`);
        await page.getByRole('button', { name: 'Start failed again' }).click();
        await again.getByText('No failed job of these can start again.').waitFor();
        await page.keyboard.press('Escape');
        await page.goto(`${visitor().origin}/jobs?company=console-plans&handle=never-ends&plan=abort`);
        const aborting = page.getByRole('dialog', { name: 'Abort jobs' });
        await aborting.getByText('One job of 1 will end.').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await aborting.getByRole('button', { name: 'Abort', exact: true }).click();
        await aborting.getByText('One job will be aborted.').waitFor();
        await aborting.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('region', { name: 'Jobs' }).getByText('aborted', { exact: true }).waitFor();
      });
      await visitor().setFaults([]);
    });

    it('says what the service refused, in its own words', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/jobs?status=NONSENSE`);
        await page.getByRole('alert').getByText('status').waitFor();
        await page.goto(`${visitor().origin}/jobs?company=nobody-has-this`);
        await page.getByText('No job fits these filters.').waitFor();
        await page.goto(`${visitor().origin}/nothing`);
        await page.getByRole('heading', { name: 'There is no such screen' }).waitFor();
      });
    });

    async function start(companyId: string, handles: string[]): Promise<string[]> {
      const response = await visitor().post(`${visitor().platform.url('interactions')}/scraper/network/interactions`, {
        user_company_id: companyId,
        targets: handles.map((handle) => ({ network_handle: handle, entity: 'PERSON' })),
      });
      const { results } = (await response.json()) as { results: { run_id?: string; error: string | null }[] };
      return results.map(({ run_id: id, error }) => id ?? String(error));
    }

    it('shows what a job has stored, page by page', async () => {
      const [runId] = await start('console-items', ['ada-lovelace']);
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/jobs/${runId}`);
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
        expect(await axeFaults(page)).toEqual([]);
      });
    });

    it('sets the budget of a company, by which a start is refused, and shows its costs by day', async () => {
      await start('console-budget', ['grace-hopper']);
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/jobs/costs`);
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
        expect(await axeFaults(page)).toEqual([]);
        await dialog.getByRole('button', { name: 'Set the budget' }).click();
        await page.getByRole('region', { name: 'Changes', exact: true }).getByText('$0.000001').waitFor();
        await page.getByText('all', { exact: true }).waitFor();
        await page.goto(`${visitor().origin}/jobs?start=yes`);
        const starting = page.getByRole('dialog', { name: 'Start jobs' });
        await starting.getByLabel(/Handles or profile addresses/).fill('alan-turing');
        await starting.getByLabel('Company id').fill('console-budget');
        await starting.getByRole('button', { name: 'Start', exact: true }).click();
        await starting.getByText(/alan-turing: .*budget/).waitFor();
        // The overview says so, too.
        await page.goto(visitor().origin);
        const attention = page.getByRole('region', { name: 'Needs attention' });
        await attention
          .getByRole('listitem')
          .filter({ hasText: /console-budget has used all of its budget of \$0\.000001/ })
          .waitFor();
        await attention
          .getByRole('listitem')
          .filter({ hasText: /dead letters? could not be used/ })
          .waitFor();
        await page.goto(`${visitor().origin}/jobs/costs/console-budget?set=yes`);
        await dialog.getByLabel(/as much as everybody/).check();
        await dialog.getByRole('button', { name: 'Set the budget' }).click();
        await page.getByText('that of everybody', { exact: true }).first().waitFor();
      });
      const [started] = await start('console-budget', ['alan-turing']);
      expect(started).not.toContain('budget');
    });
  });
}
