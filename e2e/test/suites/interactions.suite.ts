import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call, until } from '../../src/http.js';
import type { PlatformProcess } from '../../src/platform-process.js';

interface Job {
  job_id: string;
  run_id: string | null;
  network_handle: string;
  status: string;
  posts_count: number | null;
  comments_count: number | null;
  reactions_count: number | null;
}
interface LedgerEntry {
  id?: string;
  outcome: string;
  items?: { posts: number; comments: number; reactions: number };
}

export function describeInteractions(platform: () => PlatformProcess): void {
  describe('interactions', () => {
    const base = () => `${platform().url('interactions')}/scraper/network`;
    const company = (name: string) => `${name}-${platform().portBase}`;
    const person = (handle: string) => ({ network_handle: handle, entity: 'PERSON' });
    const faults = (list: unknown[]) =>
      call('PUT', `${platform().url('simulator')}/faults`, { body: { faults: list } });
    const trigger = (user_company_id: string, handles: string[]) =>
      call<{ successful_count: number; results: { run_id?: string; error: string | null }[] }>(
        'POST',
        `${base()}/interactions`,
        {
          body: { user_company_id, targets: handles.map(person) },
        },
      );
    const jobsOf = async (user_company_id: string) =>
      (await call<{ interactions: Job[] }>('GET', `${base()}/interactions?user_company_id=${user_company_id}`)).body
        .interactions;
    const endedJobs = (user_company_id: string, count: number) =>
      until(`${count} jobs of ${user_company_id} to end`, 90_000, async () => {
        const jobs = await jobsOf(user_company_id);
        return jobs.length === count && jobs.every(({ status }) => status !== 'PENDING' && status !== 'RUNNING')
          ? jobs
          : undefined;
      });
    const ledger = async (query: string) =>
      (await call<{ entries: LedgerEntry[] }>('GET', `${platform().url('simulator')}/ledger?${query}`)).body.entries;

    afterEach(async () => {
      await call('DELETE', `${platform().url('simulator')}/faults`);
    });

    it('every job is completed with the counts of the provider, and its items are in the warehouse once', async () => {
      const owner = company('counts');
      // One webhook comes twice, one is late.
      await faults([
        { on: 'run.webhook', kind: 'twice', target: 'first-person' },
        { on: 'run.webhook', kind: 'late', target: 'second-person', delayMs: 1500 },
      ]);
      expect((await trigger(owner, ['first-person', 'second-person', 'third-person'])).body.successful_count).toBe(3);
      const jobs = await endedJobs(owner, 3);
      const database = new pg.Client({ connectionString: platform().databaseUrl });
      await database.connect();
      try {
        for (const job of jobs) {
          const [end] = await ledger(`operation=run.ended&id=${job.run_id}`);
          expect(job).toMatchObject({
            status: 'COMPLETED',
            posts_count: end?.items?.posts,
            comments_count: end?.items?.comments,
            reactions_count: end?.items?.reactions,
          });
          for (const [table, count] of [
            ['network_posts', job.posts_count],
            ['network_post_comments', job.comments_count],
            ['network_post_reactions', job.reactions_count],
          ] as const) {
            const { rows } = await database.query<{ count: string }>(
              `select count(*) from warehouse.${table} where provider_run_id = $1`,
              [job.run_id],
            );
            expect([table, Number(rows[0]?.count)]).toEqual([table, count]);
          }
        }
        const tracker = await database.query(
          `select "networkUsername", status, provider_run_id from interactions."network_interactions_trackerDev" where user_company_id = $1`,
          [owner],
        );
        expect(tracker.rows).toHaveLength(3);
      } finally {
        await database.end();
      }
    });

    it('a lost answer starts nothing twice, a failed run fails its job, and polling finds a run without a webhook', async () => {
      const owner = company('troubles');
      await faults([
        { on: 'run.start', kind: 'error_after', target: 'lost-answer', times: 1 },
        { on: 'run', kind: 'fail', target: 'failing-run' },
        { on: 'run.webhook', kind: 'never', target: 'lost-webhook' },
      ]);
      await trigger(owner, ['lost-answer', 'failing-run', 'lost-webhook']);
      const jobs = new Map((await endedJobs(owner, 3)).map((job) => [job.network_handle, job]));
      expect(jobs.get('lost-answer')?.status).toBe('COMPLETED');
      expect(jobs.get('failing-run')?.status).toBe('FAILED');
      expect(jobs.get('lost-webhook')?.status).toBe('COMPLETED');
      for (const job of jobs.values()) {
        expect(await ledger(`operation=run.start&effect=true&correlationId=${job.job_id}`)).toHaveLength(1);
      }
    }, 120_000);

    it('an active run refuses a second one, and can be aborted; a finished one cannot', async () => {
      const owner = company('abort');
      await faults([{ on: 'run', kind: 'never_ends', target: 'endless' }]);
      await trigger(owner, ['endless']);
      const second = await trigger(owner, ['endless']);
      expect(second.body).toMatchObject({
        success: false,
        results: [{ success: false, error: 'A run is already active for this target' }],
      });
      const abort = () =>
        call<{ success: boolean; results: { status?: string; error: string | null }[] }>(
          'POST',
          `${base()}/abort-run`,
          {
            body: { user_company_id: owner, targets: [person('endless')] },
          },
        );
      expect((await abort()).body).toMatchObject({
        success: true,
        message: 'Aborted 1/1 runs successfully.',
        results: [{ status: 'ABORTED', error: null }],
      });
      expect((await endedJobs(owner, 1))[0]?.status).toBe('ABORTED');
      expect((await abort()).body).toMatchObject({
        success: false,
        results: [{ error: 'No pending or running run found' }],
      });
    });

    it('refuses invalid requests, and names the field of each broken rule', async () => {
      const answer = await call<{ message: string[] }>('POST', `${base()}/interactions`, {
        body: { user_company_id: 'x', targets: [{ network_handle: ' ', entity: 'person' }], max_posts: 0 },
      });
      expect(answer.status).toBe(400);
      for (const field of ['targets.0.network_handle', 'targets.0.entity', 'max_posts']) {
        expect(answer.body.message.some((text) => text.startsWith(field))).toBe(true);
      }
    });
  });
}
