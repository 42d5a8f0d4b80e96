// What must hold once nothing is under way: tracker, warehouse and the simulator's ledger agree.
import { expect } from '@jest/globals';
import type { Simulator } from '@tradewind/provider-simulator';
import type { TrackerRow, WarehouseCounts } from './stored-rows.types.js';

interface World {
  simulator: Simulator;
  tracker(): Promise<TrackerRow[]>;
  allWarehouseCounts(): Promise<Map<string, WarehouseCounts>>;
  companyCosts(): Promise<Record<string, Record<string, number>>>;
}

const nothing = { posts: 0, comments: 0, reactions: 0 };

/** Fails with the list of everything that disagrees. */
export async function expectAgreement(world: World): Promise<void> {
  const rows = await world.tracker();
  const stored = await world.allWarehouseCounts();
  const disagreements: unknown[] = [];
  const disagree = (what: string, row: unknown) => disagreements.push({ what, row });

  const started = world.simulator.ledger({ operation: 'run.start', effect: true });
  const byRun = new Map(rows.filter((row) => row.provider_run_id).map((row) => [row.provider_run_id!, row]));
  const startsOfJob = new Map<string, number>();
  for (const start of started) {
    startsOfJob.set(start.correlationId!, (startsOfJob.get(start.correlationId!) ?? 0) + 1);
    if (byRun.get(start.id!)?.job_id !== start.correlationId) disagree('a run that its job does not know', start);
  }
  for (const [jobId, count] of startsOfJob) if (count > 1) disagree(`a job started ${count} times`, jobId);
  expect(world.simulator.summary().runs.startedTwice).toEqual([]);

  const ends = new Map(world.simulator.ledger({ operation: 'run.ended' }).map((end) => [end.id!, end]));
  for (const row of rows) {
    const runId = row.provider_run_id;
    const end = runId === null ? undefined : ends.get(runId);
    if (row.stage !== 'done' || row.holds_slot) disagree('a job that is not at rest', row);
    if (expectedStatus(end?.outcome, row) !== row.status)
      disagree(`the run ended as ${end?.outcome ?? 'nothing'}`, row);
    const costMicroUsd = end?.costUsd === undefined ? null : String(Math.round(end.costUsd * 1e6));
    if (row.cost_micro_usd !== costMicroUsd) disagree(`the run cost ${end?.costUsd} US dollars`, row);
    const counts = (runId !== null && stored.get(runId)) || nothing;
    if (row.status === 'COMPLETED') {
      const items = end!.items!;
      const { posts, comments, reactions } = items;
      const told = { posts: row.posts_count, comments: row.comments_count, reactions: row.reactions_count };
      if (!same(told, { posts, comments, reactions }))
        disagree('counts other than the items of the run', { row, items });
      if (!same(counts, { posts, comments, reactions }))
        disagree('rows other than the items of the run', { row, counts });
      if (row.left_over_count !== items.withoutId + items.unknownType + items.broken)
        disagree('left over', { row, items });
      if (!row.completed_date) disagree('no date', row);
    } else {
      if (!same(counts, nothing)) disagree('rows of a job that is not completed', { row, counts });
      if (row.posts_count !== null) disagree('counts of a job that is not completed', row);
      if ((row.status === 'FAILED') !== (row.completed_date !== null)) disagree('a date that does not fit', row);
    }
  }
  const totals: Record<string, Record<string, number>> = {};
  for (const { user_company_id: id, created_at: at, cost_micro_usd: cost } of rows) {
    if (cost === null || cost === '0') continue;
    const [ofCompany, day] = [(totals[id] ??= {}), at.toISOString().slice(0, 10)];
    ofCompany[day] = (ofCompany[day] ?? 0) + Number(cost);
  }
  expect(await world.companyCosts()).toEqual(totals);
  for (const runId of stored.keys()) if (!byRun.has(runId)) disagree('rows of an unknown run', runId);
  expect(disagreements).toEqual([]);
}

/** A job without a run was aborted, or its start failed, before anything began. */
function expectedStatus(outcome: string | undefined, row: TrackerRow): string {
  if (row.provider_run_id === null) return row.status === 'ABORTED' ? 'ABORTED' : 'FAILED';
  switch (outcome) {
    case 'SUCCEEDED':
      return 'COMPLETED';
    case 'FAILED':
    case 'TIMED-OUT':
      return 'FAILED';
    case 'ABORTED':
      return 'ABORTED';
    default:
      return `unexpected ${outcome}`;
  }
}

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
