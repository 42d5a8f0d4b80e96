// Starts scraping jobs, sometimes with a double click, and asks again when there was no answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { companyWithBudget } from '../platform/service-settings.js';
import type { LoadContext, LoadKind } from './load.types.js';

interface Triggered {
  results: { network_handle: string; run_id?: string; success: boolean; error: string | null }[];
}

const retryPauseMs = 1_500;
/** A run of an hour would otherwise store millions of items. */
const fewItems = { max_posts: 3, max_reactions: 2, max_comments: 2 };
const attemptsMax = 3;

export const jobs: LoadKind = {
  name: 'jobs',
  async act(context) {
    const { random, unique } = context;
    const number = random.integer(1, 6);
    const company = number === 6 ? companyWithBudget : `company-${number}`;
    const targets = Array.from({ length: random.integer(1, 4) }, () => unique('person'));
    const clicks = random.oneIn(5) ? 2 : 1;
    const limits = random.oneIn(8) ? {} : fewItems;
    await Promise.all(Array.from({ length: clicks }, () => triggerUntilAnswered(context, company, targets, limits)));
  },
};

/** Also for targets that are to be aborted. */
export async function triggerUntilAnswered(
  { client, tell, signal }: LoadContext,
  company: string,
  targets: readonly string[],
  limits: Partial<typeof fewItems> = fewItems,
): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const reply = await client.ask<Triggered>('interactions', 'POST', '/scraper/network/interactions', {
      expected: [200],
      json: {
        user_company_id: company,
        targets: targets.map((target) => ({ network_handle: target, entity: 'PERSON' })),
        ...limits,
      },
    });
    const results = new Map(reply.body?.results?.map((one) => [one.network_handle, one]));
    for (const target of targets) {
      const own = results.get(target);
      if (own === undefined) tell({ what: 'job', company, target, result: 'unknown' });
      else if (own.success) {
        tell({
          what: 'job',
          company,
          target,
          result: 'ok',
          ...(own.run_id === undefined ? {} : { runId: own.run_id }),
        });
      } else {
        tell({ what: 'job', company, target, result: own.error?.startsWith('PENDING') ? 'pending' : 'refused' });
      }
    }
    if (reply.status === 200 || signal.aborted) return;
    await sleep(retryPauseMs, undefined, { signal }).catch(() => undefined);
  }
}
