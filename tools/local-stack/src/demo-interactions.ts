// Scraping jobs from the request to the warehouse, and each of them compared with what the provider says it gave.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expectJson } from './demo-http.js';
import { ledgerEntries, ledgerSummary } from './demo-ledger.js';
import { timed, type DemoPage } from './demo-page.js';
import type { DemoPlatform } from './demo-platform.js';
import type { DemoUser } from './demo-sign-in.js';

const targets = [
  { network_handle: 'ada-lovelace', entity: 'PERSON' },
  { network_handle: 'grace-hopper', entity: 'PERSON' },
  { network_handle: 'alan-turing', entity: 'PERSON' },
  { network_handle: 'katherine-johnson', entity: 'PERSON' },
  // Yields nothing: a run that succeeds without an item is a completed job with counts of 0.
  { network_handle: 'a-private-person', entity: 'PERSON' },
  { network_handle: 'tradewind-logistics', entity: 'COMPANY' },
  { network_handle: 'acme-analytics', entity: 'COMPANY' },
  { network_handle: 'northern-energy', entity: 'COMPANY' },
];

interface Job {
  job_id: string;
  run_id: string | null;
  network_handle: string;
  status: string;
  posts_count: number | null;
  comments_count: number | null;
  reactions_count: number | null;
  error: string | null;
}

const timeoutMs = 120_000;
const pollMs = 250;

export async function followInteractions(platform: DemoPlatform, user: DemoUser, page: DemoPage): Promise<void> {
  const base = `${platform.address('interactions')}/scraper/network`;
  // A company of its own for each demo: one run may be active for a company and target.
  const company = `demo-${user.email.slice(5, 25)}`;
  const { result: jobs, seconds } = await timed(async () => {
    const answer = await expectJson<{ message: string; successful_count: number; results: { error: string | null }[] }>(
      `${base}/interactions`,
      {
        body: {
          user_company_id: company,
          trigger_user_id: user.id,
          targets,
          max_posts: 10,
          max_reactions: 5,
          max_comments: 5,
        },
      },
    );
    page.check('jobs accepted', answer.successful_count === targets.length, answer.message);
    return followJobs(`${base}/interactions?user_company_id=${company}&limit=200`, page);
  });

  const failed = jobs.filter(({ status }) => status !== 'COMPLETED');
  page.check(
    `${targets.length} jobs completed`,
    jobs.length === targets.length && failed.length === 0,
    failed.map((job) => `${job.network_handle}: ${job.status} ${job.error ?? ''}`).join('; '),
  );
  const total = (field: 'posts_count' | 'comments_count' | 'reactions_count') =>
    jobs.reduce((sum, job) => sum + (job[field] ?? 0), 0);
  const counts = {
    posts: total('posts_count'),
    comments: total('comments_count'),
    reactions: total('reactions_count'),
  };

  await compareWithLedger(platform, jobs, page);
  await compareWithWarehouse(platform, jobs, counts, page);
  page.figure('Interactions', 'jobs completed', jobs.length - failed.length, seconds);
  page.figure('Interactions', 'posts', counts.posts);
  page.figure('Interactions', 'comments', counts.comments);
  page.figure('Interactions', 'reactions', counts.reactions);
}

async function followJobs(url: string, page: DemoPage): Promise<Job[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { interactions } = await expectJson<{ interactions: Job[] }>(url);
    const byStatus = new Map<string, number>();
    for (const { status } of interactions) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const ended = interactions.filter(({ status }) => status !== 'PENDING' && status !== 'RUNNING').length;
    page.progress(
      'jobs',
      ended,
      targets.length,
      [...byStatus].map(([status, count]) => `${count} ${status.toLowerCase()}`).join(', '),
    );
    if (ended === targets.length || Date.now() > deadline) return interactions;
    await sleep(pollMs);
  }
}

/** Each job began one run, and its counts are those of the provider's dataset. */
async function compareWithLedger(platform: DemoPlatform, jobs: readonly Job[], page: DemoPage): Promise<void> {
  const differing: string[] = [];
  for (const job of jobs) {
    const starts = await ledgerEntries(platform, { operation: 'run.start', correlationId: job.job_id, effect: 'true' });
    const ends = await ledgerEntries(platform, { operation: 'run.ended', id: job.run_id ?? '' });
    const items = ends[0]?.items;
    const agrees =
      starts.length === 1 &&
      starts[0]?.id === job.run_id &&
      items?.posts === job.posts_count &&
      items?.comments === job.comments_count &&
      items?.reactions === job.reactions_count;
    if (!agrees)
      differing.push(
        `${job.network_handle}: ${starts.length} starts, provider ${JSON.stringify(items)}, job ${job.posts_count}/${job.comments_count}/${job.reactions_count}`,
      );
  }
  page.check(
    "each job began one run, with the counts of the provider's ledger",
    differing.length === 0,
    differing.join('; '),
  );
  const { runs } = await ledgerSummary(platform);
  page.check('no run was ever started twice', runs.startedTwice.length === 0);
}

async function compareWithWarehouse(
  platform: DemoPlatform,
  jobs: readonly Job[],
  counts: { posts: number; comments: number; reactions: number },
  page: DemoPage,
): Promise<void> {
  const database = new pg.Client({ connectionString: platform.databaseUrl });
  await database.connect();
  try {
    const count = async (table: string) => {
      const found = await database.query<{ count: string }>(
        `select count(*) from warehouse.${table} where provider_run_id = any($1)`,
        [jobs.map(({ run_id }) => run_id)],
      );
      return Number(found.rows[0]?.count);
    };
    const stored = {
      posts: await count('network_posts'),
      comments: await count('network_post_comments'),
      reactions: await count('network_post_reactions'),
    };
    const agrees =
      stored.posts === counts.posts && stored.comments === counts.comments && stored.reactions === counts.reactions;
    page.check(
      'every item is in the warehouse, once',
      agrees,
      `${stored.posts} posts, ${stored.comments} comments, ${stored.reactions} reactions`,
    );
  } finally {
    await database.end();
  }
}
