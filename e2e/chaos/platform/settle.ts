// Waits after the load until nothing is under way any more, at the provider or in the services.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { call } from '../../src/http.js';
import type { ChaosPlatform } from './platform.js';

/** Leases, settle times and repeated webhooks take a minute in the worst case (service-settings.ts). */
const timeoutMs = 150_000;
const pollMs = 500;

const openWork = `
  select 'jobs' as what, count(*)::int as open from interactions."network_interactions_trackerDev"
   where stage <> 'done'
  union all
  select 'profiles to start', count(*)::int from priority_api.profile_call
   where state in ('pending', 'starting', 'unknown') or (state = 'started' and delivered_at is null)
  union all
  select 'profiles to store', count(*)::int from priority_webhook.open_delivery
   where not (is_stored and is_backed_up)
  union all
  select 'batches to publish', count(*)::int from coordinator.run where state <> 'completed'
  union all
  select 'messages in the queue', count(*)::int from queue.job
   where name in (select name from queue.queue where dead_letter is not null) and state in ('created', 'retry', 'active')
  union all
  select 'costs to read', count(*)::int from interactions."network_interactions_trackerDev"
   where cost_due_at is not null`;

interface LedgerSummary {
  runs: { active: number };
  profiles: { active: number };
  pendingWebhooks: number;
}

/** Resolves with what is still open after the longest wait, and with how long it took. */
export async function settle(platform: ChaosPlatform): Promise<{ open: string[]; seconds: number }> {
  const startedMs = Date.now();
  const database = new pg.Client({ connectionString: platform.databaseUrl });
  await database.connect();
  try {
    for (;;) {
      const { rows } = await database.query<{ what: string; open: number }>(openWork);
      const { body } = await call<LedgerSummary>('GET', `${platform.simulatorUrl}/ledger/summary`);
      const open = [
        ...rows,
        { what: 'runs at the provider', open: body.runs.active },
        { what: 'scrapes at the provider', open: body.profiles.active },
        { what: 'webhooks to deliver', open: body.pendingWebhooks },
      ]
        .filter((one) => one.open > 0)
        .map((one) => `${one.open} ${one.what}`);
      const waitedMs = Date.now() - startedMs;
      if (open.length === 0 || waitedMs > timeoutMs) return { open, seconds: Math.round(waitedMs / 1000) };
      await sleep(pollMs);
    }
  } finally {
    await database.end();
  }
}
