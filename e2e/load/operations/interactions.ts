// Jobs, their status, and the provider's completion webhooks.
import { call } from '../../src/http.js';
import type { Target } from '../../src/target.types.js';
import { jsonRequest } from './json-request.js';
import type { LoadOperation } from './operation.types.js';

const path = '/scraper/network/interactions';
const runCount = 50;

interface Triggered {
  results: { run_id: string | null }[];
}

let started = 0;
const targetsOf = (count: number) =>
  Array.from({ length: count }, () => ({ network_handle: `load-${process.pid}-${(started += 1)}`, entity: 'PERSON' }));

/** The provider ends a run in about a second and has 32 slots for us, so it is the limit here, not the pod. */
export const startJob: LoadOperation = {
  name: 'start of a job',
  service: 'interactions',
  p99MsMax: 2_000,
  p99MsMaxBeyond: 8_000,
  ratePerSecondMin: 5,
  soakPerSecond: 2,
  prepare: async () => ({ request: () => jsonRequest(path, { user_company_id: 'load', targets: targetsOf(1) }) }),
};

export const jobStatus: LoadOperation = {
  name: 'status of a job',
  service: 'interactions',
  p99MsMax: 100,
  ratePerSecondMin: 100,
  soakPerSecond: 20,
  async prepare(target, random) {
    const runs = await startRuns(target);
    return { request: () => ({ method: 'GET', path: `${path}/${random.pick(runs)}` }) };
  },
};

/** Each is another event of a known run, so each is stored. */
export const completionWebhook: LoadOperation = {
  name: 'completion webhook',
  service: 'interactions',
  p99MsMax: 100,
  ratePerSecondMin: 200,
  soakPerSecond: 30,
  async prepare(target, random) {
    const runs = await startRuns(target);
    const headers = { 'x-webhook-secret': target.tokens.webhooks.interactions ?? '' };
    let events = 0;
    return {
      request: () =>
        jsonRequest(
          '/scraper/network/webhook',
          { eventType: `LOAD.${process.pid}.${(events += 1)}`, resource: { id: random.pick(runs) } },
          headers,
        ),
    };
  },
};

async function startRuns({ urls }: Target): Promise<string[]> {
  const answer = await call<Triggered>('POST', `${urls.interactions}${path}`, {
    body: { user_company_id: 'load', targets: targetsOf(runCount) },
  });
  const runs = answer.body.results.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
  if (runs.length === 0) throw new Error(`no run started: ${JSON.stringify(answer.body)}`);
  return runs;
}
