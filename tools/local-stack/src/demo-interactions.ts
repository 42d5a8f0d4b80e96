// Scraping jobs from the request to the warehouse, and what they counted compared with what is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { callJson } from './demo-http.js';
import { timed, type DemoPage } from './demo-page.js';
import { type DemoPlatform, selectFrom } from './demo-platform.js';
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

const kinds = ['posts', 'comments', 'reactions'] as const;
type Counts = Record<(typeof kinds)[number], number>;

const shown = ({ posts, comments, reactions }: Counts) =>
  `${posts} posts, ${comments} comments, ${reactions} reactions`;

export async function followInteractions(platform: DemoPlatform, user: DemoUser, page: DemoPage): Promise<void> {
  const url = `${platform.address('interactions')}/scraper/network/interactions`;
  // A company of its own for each demo: one run may be active for a company and target.
  const company = `demo-${user.email.slice(5, 25)}`;
  const limits = { max_posts: 10, max_reactions: 5, max_comments: 5 };
  const { result: jobs, seconds } = await timed(async () => {
    const request = { user_company_id: company, trigger_user_id: user.id, targets, ...limits };
    const answer = await callJson<{ message: string; successful_count: number }>(url, request);
    page.check('jobs accepted', answer.successful_count === targets.length, answer.message);
    return followJobs(`${url}?user_company_id=${company}&limit=200`, page);
  });
  const completed = jobs.filter(({ status }) => status === 'COMPLETED');
  page.check(
    `${targets.length} jobs completed`,
    completed.length === targets.length && jobs.length === targets.length,
    jobs
      .filter((job) => !completed.includes(job))
      .map((job) => `${job.network_handle}: ${job.status} ${job.error ?? ''}`)
      .join('; '),
  );
  const counts = await compareWithWarehouse(platform, jobs, page);
  page.figure('Interactions', 'jobs completed', completed.length, seconds);
  for (const kind of kinds) page.figure('Interactions', kind, counts[kind]);
}

async function followJobs(url: string, page: DemoPage): Promise<Job[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { interactions } = await callJson<{ interactions: Job[] }>(url);
    const running = interactions.filter(({ status }) => status === 'PENDING' || status === 'RUNNING').length;
    const ended = interactions.length - running;
    page.progress('jobs', ended, targets.length, running > 0 ? `${running} under way` : '');
    if (ended === targets.length || Date.now() > deadline) return interactions;
    await sleep(pollMs);
  }
}

/** Resolves with the items of all jobs. */
async function compareWithWarehouse(platform: DemoPlatform, jobs: readonly Job[], page: DemoPage): Promise<Counts> {
  const runIds = jobs.map(({ run_id }) => run_id);
  const tables = { posts: 'network_posts', comments: 'network_post_comments', reactions: 'network_post_reactions' };
  const counts = { posts: 0, comments: 0, reactions: 0 };
  const stored = { ...counts };
  for (const kind of kinds) {
    counts[kind] = jobs.reduce((sum, job) => sum + (job[`${kind}_count`] ?? 0), 0);
    const query = `select count(*)::int as count from warehouse.${tables[kind]} where provider_run_id = any($1)`;
    stored[kind] = (await selectFrom<{ count: number }>(platform, query, [runIds]))[0]!.count;
  }
  const isWhole = kinds.every((kind) => counts[kind] > 0 && stored[kind] === counts[kind]);
  page.check('every item is in the warehouse, once', isWhole, shown(stored));
  return counts;
}
