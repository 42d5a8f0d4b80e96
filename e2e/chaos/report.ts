// The table at the end of a run.
import type { RuleResult } from './accountant/accountant.js';
import type { Evidence } from './accountant/evidence/evidence.types.js';
import { toldOf } from './accountant/evidence/group-by.js';
import { lastEndOf } from './accountant/evidence/last-end.js';

/** Findings of one rule that are printed; all are in the file. */
const shownMax = 10;

export function reportLines(
  evidence: Evidence,
  acts: ReadonlyMap<string, number>,
  results: readonly RuleResult[],
): string[] {
  const lines = ['', 'Load'];
  for (const [name, count] of [...acts].sort()) lines.push(row(name, `${count} acts`));
  const statuses = counted(evidence.answers, ({ status }) =>
    status === null ? 'none' : `${Math.floor(status / 100)}xx`,
  );
  const answered = [...statuses].sort().map(([status, count]) => `${status} ${count}`);
  lines.push(row('answers', `${evidence.answers.length} (${answered.join(', ')})`));
  lines.push('', 'Faults');
  const strikes = new Set(evidence.faults.map(({ strike }) => strike)).size;
  lines.push(
    row('all', `${evidence.faults.length} in ${strikes} strikes, ${evidence.faults.length - strikes} overlapped`),
  );
  for (const [kind, count] of [...counted(evidence.faults, (fault) => fault.kind)].sort()) {
    lines.push(row(kind, `${count} times`));
  }
  const ready = evidence.faults.flatMap((fault) =>
    fault.readyMs === null ? [] : [fault.readyMs - lastEndOf(fault, evidence.faults)],
  );
  lines.push(row('ready again', `after ${(Math.max(0, ...ready) / 1000).toFixed(1)} s at most`));
  lines.push('', 'Compared');
  const starts = (operation: string) =>
    evidence.ledger.filter((one) => one.operation === operation && one.effect).length;
  lines.push(row('jobs in the tracker', `${evidence.tracker.length}, runs bought ${starts('run.start')}`));
  lines.push(row('items in the warehouse', String(evidence.items.reduce((sum, { rows }) => sum + rows, 0))));
  lines.push(
    row(
      'profiles stored',
      `${evidence.profileCalls.length}, files ${evidence.objects.length}, bought ${starts('profile.start')}`,
    ),
  );
  lines.push(row('clients, API keys', `${evidence.clients.length}, ${evidence.keys.length}`));
  const ended = toldOf(evidence.told, 'ended access');
  const tries = ended.filter(({ use }) => use === 'try').length;
  lines.push(row('accesses ended', `${ended.length - tries}, tried again ${tries} times`));
  lines.push(row('logs', evidence.logs.summary));
  const months = new Set(toldOf(evidence.told, 'month').map(({ month }) => month)).size;
  lines.push(row('months begun', String(months)));
  lines.push('', 'Findings');
  for (const { rule, findings } of results) {
    lines.push(`  ${findings.length === 0 ? '✓' : '✗'} ${rule}${findings.length === 0 ? '' : `: ${findings.length}`}`);
    lines.push(...findings.slice(0, shownMax).map((finding) => `      ${finding}`));
    if (findings.length > shownMax) lines.push(`      and ${findings.length - shownMax} more`);
  }
  return lines;
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(26)}${value}`;
}

function counted<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}
