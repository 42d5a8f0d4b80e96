// Starts a job that never ends on its own, and aborts it. What is not aborted by the end of the load is aborted then.
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../src/http.js';
import type { Result, ToldEntry } from '../log/log.types.js';
import { triggerUntilAnswered } from './jobs.js';
import { resultOf } from './load-client.js';
import type { LoadContext, LoadKind } from './load.types.js';

const company = 'company-that-aborts';
const closeAttempts = 20;

export const aborts: LoadKind = {
  name: 'start and abort',
  async act(context) {
    const target = context.unique('endless');
    const faults = [{ on: 'run', kind: 'never_ends', target }];
    await call('POST', `${context.simulatorUrl}/faults`, { body: { faults } });
    await triggerUntilAnswered(context, company, [target]);
    await sleep(context.random.integer(0, 1_500), undefined, { signal: context.signal }).catch(() => undefined);
    const clicks = context.random.oneIn(4) ? 2 : 1;
    await Promise.all(Array.from({ length: clicks }, () => abort(context, target)));
  },

  async close(context, told) {
    let open = notAborted(told);
    for (let attempt = 1; attempt <= closeAttempts && open.length > 0; attempt += 1) {
      const results = await Promise.all(open.map(async (target) => ({ target, result: await abort(context, target) })));
      open = results.filter(({ result }) => result === 'unknown').map(({ target }) => target);
      if (open.length > 0) await sleep(1_000);
    }
  },
};

/** Targets whose start may have had an effect and whose abort was not confirmed. */
function notAborted(told: readonly ToldEntry[]): string[] {
  const open = new Set<string>();
  for (const entry of told) {
    if (entry.what === 'job' && entry.company === company) open.add(entry.target);
    if (entry.what === 'abort' && entry.result === 'ok') open.delete(entry.target);
  }
  return [...open];
}

async function abort({ client, tell }: LoadContext, target: string): Promise<Result> {
  const reply = await client.ask<{ results: { success: boolean }[] }>(
    'interactions',
    'POST',
    '/scraper/network/abort-run',
    { expected: [200], json: { user_company_id: company, targets: [{ network_handle: target, entity: 'PERSON' }] } },
  );
  const answered = resultOf(reply);
  const result = answered === 'ok' ? (reply.body?.results?.[0]?.success ? 'ok' : 'refused') : answered;
  tell({ what: 'abort', company, target, result });
  return result;
}
