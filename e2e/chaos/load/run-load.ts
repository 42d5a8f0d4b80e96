// Callers who act at the same time, each with a stream of random numbers from the seed.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@tradewind/provider-simulator';
import { call } from '../../src/http.js';
import type { RunLog } from '../log/run-log.js';
import type { ChaosPlatform } from '../platform/platform.js';
import type { Limits } from '../platform/service-settings.js';
import { allLoads } from './all-loads.js';
import { LoadClient } from './load-client.js';
import type { LoadContext } from './load.types.js';
import { Months } from './months.js';
import { oauthClient, redirectUri } from './sessions.js';

const pauseMs = { min: 50, max: 400 };
const accountCount = 3;
/**
 * Each delay strikes half of the runs or scrapes, so that faults meet many of them under way. The sums stay short,
 * because a scrape of 60 s would count as lost. Milliseconds.
 */
const runDelaysMs = [1_500, 3_000];
const profileDelaysMs = [2_000, 4_000, 8_000];

export interface LoadRun {
  platform: ChaosPlatform;
  seed: string;
  /** How many act at the same time. */
  callers: number;
  log: RunLog;
  /** Ends the load. */
  signal: AbortSignal;
}

/** What all callers share. */
export type LoadState = Pick<LoadContext, 'accounts' | 'ended' | 'months'>;

/** Makes the data, the OAuth client, and the users, whose data calls and sessions the accountant counts. */
export async function prepareLoad(
  platform: ChaosPlatform,
  seed: string,
  { companyWithBudget, budgetUsd }: Limits,
): Promise<LoadState> {
  const accounts = Array.from({ length: accountCount }, (_, index) => ({
    ...{ email: `caller-${index + 1}@example.com`, password: `password-of-${seed}-${index + 1}` },
    keys: [],
  }));
  await Promise.all([
    platform.loadSampleData(),
    platform.command('interactions', ['budget', 'set', companyWithBudget, String(budgetUsd)]),
    platform.batch('identity', [
      [
        ...['client', 'create', '--id', oauthClient.client_id, '--secret', oauthClient.client_secret],
        ...['--name', 'Chaos', '--redirect-uri', redirectUri],
      ],
      ...accounts.map(({ email, password }) => ['user', 'create', '--email', email, '--password', password]),
    ]),
  ]);
  const slow = (on: string, delaysMs: number[]) =>
    delaysMs.map((delayMs) => ({ on, kind: 'slow', delayMs, probability: 0.5 }));
  const faults = [...slow('run', runDelaysMs), ...slow('profile', profileDelaysMs)];
  const { status } = await call('POST', `${platform.simulatorUrl}/faults`, { body: { faults } });
  if (status !== 200) throw new Error(`the simulator refused the faults with ${status}`);
  return { accounts, ended: [], months: new Months(new Date()) };
}

/** Resolves once every caller has finished its last act, with how often each kind acted. */
export async function runLoad(run: LoadRun, state: LoadState): Promise<Map<string, number>> {
  const acts = new Map<string, number>();
  const bag = allLoads.flatMap(({ kind, weight }) => Array<typeof kind>(weight).fill(kind));
  await Promise.all(
    Array.from({ length: run.callers }, async (_, number) => {
      const context = contextOf(run, state, `caller-${number + 1}`);
      while (!run.signal.aborted && !run.log.isFull) {
        const kind = context.random.pick(bag);
        await kind.act(context);
        acts.set(kind.name, (acts.get(kind.name) ?? 0) + 1);
        const pause = context.random.integer(pauseMs.min, pauseMs.max);
        await sleep(pause, undefined, { signal: run.signal }).catch(() => undefined);
      }
    }),
  );
  return acts;
}

/** What the callers still do once all faults are over. */
export async function closeLoad(run: Omit<LoadRun, 'signal' | 'callers'>, state: LoadState): Promise<void> {
  const context = contextOf({ ...run, signal: new AbortController().signal }, state, 'close');
  for (const { kind } of allLoads) await kind.close?.(context, run.log.told);
}

function contextOf(
  { platform, seed, log, signal }: Omit<LoadRun, 'callers'>,
  state: LoadState,
  name: string,
): LoadContext {
  let number = 0;
  return {
    client: new LoadClient(
      (service) => platform.url(service),
      (answer) => log.answered(answer),
    ),
    random: new Random(`${seed}/${name}`),
    tell: (entry) => log.tell(entry),
    unique: (prefix) => `${prefix}-${name}-${(number += 1)}`,
    ...state,
    command: (service, words, input) =>
      platform.command(service, words, input).then(
        () => 'ok',
        () => 'unknown',
      ),
    issuer: platform.issuer,
    simulatorUrl: platform.simulatorUrl,
    signal,
  };
}
