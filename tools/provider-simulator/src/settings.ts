// How the simulated provider behaves without faults. Durations are milliseconds, far shorter than the real provider's
// minutes, so that tests and the demo are quick.

export interface DurationRange {
  min: number;
  max: number;
}

export interface SimulatorSettings {
  /** Equal seeds give equal profiles, posts, durations and fault decisions. */
  seed: string;
  /** From start to end of a run. */
  runDurationMs: DurationRange;
  /** From the acceptance of a single profile to its webhook. */
  profileDurationMs: DurationRange;
  /** How long a run stays ABORTING. */
  abortDurationMs: number;
  /** Runs that may be active at once; above it 400 `concurrent-runs-limit-exceeded`. 256 is the largest public plan. */
  maxConcurrentRuns: number;
  /** Single profiles that may be active at once; above it 429 with `Retry-After: 1`. */
  maxConcurrentProfiles: number;
  /**
   * Waits before the repetitions of a webhook that was not answered with 2xx. The real ones are 1, 2, 4 ... minutes.
   */
  webhookRetryDelaysMs: number[];
  /** Longest wait for the answer to a webhook. */
  webhookTimeoutMs: number;
  /** Items without id, of unknown type and stored twice, sprinkled into datasets as the real actor does. */
  oddItems: boolean;
  /** Address of the professional network, as items and webhooks name it. */
  networkUrl: string;
  /** When set, API calls need it as bearer token or `?token=`; otherwise any token will do, or none. */
  token: string | undefined;
  /** File that remembers runs and scrapes across restarts; without one they are forgotten. */
  stateFile: string | undefined;
  /** Newest entries that the ledger keeps. Its summary counts all of them. */
  ledgerEntriesMax: number;
  /** Finished runs and scrapes that stay readable. */
  finishedMax: number;
}

export const defaultSettings: SimulatorSettings = {
  seed: '1',
  runDurationMs: { min: 300, max: 1500 },
  profileDurationMs: { min: 100, max: 600 },
  abortDurationMs: 100,
  maxConcurrentRuns: 256,
  maxConcurrentProfiles: 256,
  webhookRetryDelaysMs: [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 60_000, 60_000, 60_000],
  webhookTimeoutMs: 30_000,
  oddItems: true,
  networkUrl: 'https://www.linkedin.com',
  token: undefined,
  stateFile: undefined,
  ledgerEntriesMax: 200_000,
  finishedMax: 100_000,
};
