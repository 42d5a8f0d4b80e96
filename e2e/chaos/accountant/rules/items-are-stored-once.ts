import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

const tables = ['posts', 'comments', 'reactions'] as const;

export const itemsAreStoredOnce: Rule = {
  name: 'every item is in the warehouse once, and counted',
  check({ tracker, items, ledger }) {
    const runs = new Map(startsOf(ledger, 'run').map((run) => [run.id, run]));
    const stored = new Map(items.map((one) => [`${one.runId} ${one.table}`, one]));
    const completed = new Set<string>();
    const findings: string[] = [];
    for (const row of tracker) {
      if (row.status !== 'COMPLETED' || row.runId === null) continue;
      completed.add(row.runId);
      for (const table of tables) {
        const expected = runs.get(row.runId)?.items?.[table];
        const { rows = 0, distinct = 0 } = stored.get(`${row.runId} ${table}`) ?? {};
        if (expected === rows && rows === distinct && row[table] === rows) continue;
        findings.push(
          `run ${row.runId} of ${row.target}: the provider had ${expected} ${table}, the tracker counts ` +
            `${row[table]}, the warehouse has ${rows} rows of ${distinct}`,
        );
      }
    }
    for (const { runId, table, rows } of items) {
      if (!completed.has(runId)) findings.push(`run ${runId}: ${rows} ${table} of a run that is not COMPLETED`);
    }
    return findings;
  },
};
