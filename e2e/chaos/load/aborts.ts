// Starts a job that never ends on its own, and aborts it. An abort without an answer is repeated, since the job would
// keep one of the provider's places for the rest of the run. What is not aborted at the end of the load is aborted
// then.
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../src/http.js';
import type { Result, ToldEntry } from '../log/log.types.js';
import { triggerUntilAnswered } from './jobs.js';
import { resultOf } from './load-client.js';
import type { LoadContext, LoadKind } from './load.types.js';

const company = 'company-that-aborts';
const attemptsMax = 20;
const retryPauseMs = 1_000;

export const aborts: LoadKind = {
  name: 'start and abort',
  async act(context) {
    const target = context.unique('endless');
    const faults = [{ on: 'run', kind: 'never_ends', target }];
    await call('POST', `${context.simulatorUrl}/faults`, { body: { faults } });
    await triggerUntilAnswered(context, company, [target]);
    await sleep(context.random.integer(0, 1_500), undefined, { signal: context.signal }).catch(() => undefined);
    const clicks = context.random.oneIn(4) ? 2 : 1;
    await Promise.all(Array.from({ length: clicks }, () => abortUntilAnswered(context, target)));
  },

  async close(context, told) {
    await Promise.all(notAborted(told).map((target) => abortUntilAnswered(context, target)));
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

async function abortUntilAnswered(context: LoadContext, target: string): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    if ((await abort(context, target)) !== 'unknown' || context.signal.aborted) return;
    await sleep(retryPauseMs, undefined, { signal: context.signal }).catch(() => undefined);
  }
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
