import { describe, expect, it } from '@jest/globals';
import type { RunProvider } from '@tradewind/scraping-provider';
import type { BackgroundWork } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import type { ProviderCalls } from '../tracker/provider-calls.js';
import type { JobChanges } from '../tracker/job-changes.js';
import type { JobsStore } from '../tracker/jobs.store.js';
import type { TransitionsStore } from '../tracker/transitions.store.js';
import type { OrphanRuns } from './orphan-runs.js';
import type { ProviderPauseStore } from './provider-pause.store.js';
import type { StartsService } from './starts.service.js';
import { UnsettledStarts } from './unsettled-starts.service.js';

/** One pass over one unsettled job, whose run is found and is an orphan. */
function passOverOrphan(noteStart: () => Promise<void>) {
  const aborted: string[] = [];
  let pass: (() => Promise<unknown>) | undefined;
  // The parts of the collaborators that one pass uses.
  const transitions = {
    claim: async () => [{ id: 'job', startCalledAt: new Date() }],
    listSettled: async () => new Set(),
    recordRun: async () => 'orphan',
  };
  const provider = {
    async *listRunsSince() {
      yield { id: 'run' };
    },
    readRunInput: async () => ({ correlationId: 'job' }),
  };
  const background = {
    every: ({ run }: { run: () => Promise<unknown> }) => {
      pass = run;
    },
  };
  new UnsettledStarts(
    transitions as unknown as TransitionsStore,
    { listByRun: async () => new Set() } as unknown as JobsStore,
    { noteStart } as unknown as ProviderPauseStore,
    { wake: () => undefined } as unknown as StartsService,
    provider as unknown as RunProvider,
    { abort: async (runId: string) => void aborted.push(runId) } as unknown as OrphanRuns,
    { announce: () => undefined } as unknown as JobChanges,
    { note: async () => undefined } as unknown as ProviderCalls,
    { emit: () => undefined } as unknown as AppEvents,
    { LEASE_SECONDS: 60, LOOP_INTERVAL_MS: 1000 } as AppConfig,
    background as unknown as BackgroundWork,
  );
  return { pass: pass!, aborted };
}

describe('UnsettledStarts', () => {
  it('aborts an orphan run although the database is away right after', async () => {
    const { pass, aborted } = passOverOrphan(() => Promise.reject(new Error('away')));
    await expect(pass()).rejects.toThrow('away');
    expect(aborted).toEqual(['run']);
  });
});
