import { sumOfSums } from '@tradewind/provider-simulator';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

const nameOf = ({ runId, company, target }: { runId: string | null; company: string; target: string }) =>
  `run ${runId} of ${company}, ${target}`;

const tables = ['posts', 'comments', 'reactions'] as const;
const sumOfNone = sumOfSums([]);

export const itemsAreStoredOnce: Rule = {
  name: 'every item is in the warehouse once, as the provider had it, and counted',
  check({ tracker, items, leftOvers, ledger }) {
    const runs = new Map(startsOf(ledger, 'run').map((run) => [run.id, run]));
    const stored = new Map(items.map((one) => [`${nameOf(one)} ${one.table}`, one]));
    const leftOver = new Map(leftOvers.map(({ runId, rows }) => [runId, rows]));
    const completed = new Set<string>();
    const findings: string[] = [];
    for (const row of tracker) {
      if (row.status !== 'COMPLETED' || row.runId === null) continue;
      const name = nameOf(row);
      completed.add(name);
      for (const table of tables) {
        const expected = runs.get(row.runId)?.items?.[table];
        const { rows = 0, distinct = 0, sum = sumOfNone } = stored.get(`${name} ${table}`) ?? {};
        const isSame = runs.get(row.runId)?.itemSums?.[table] === sum;
        if (expected === rows && rows === distinct && row[table] === rows && isSame) continue;
        findings.push(
          `${name}: the provider had ${expected} ${table}, the tracker counts ` +
            `${row[table]}, the warehouse has ${rows} rows of ${distinct}${isSame ? '' : ', with another content'}`,
        );
      }
      const kept = leftOver.get(row.runId) ?? 0;
      if (row.leftOver !== kept) findings.push(`${name}: ${kept} left-over items, the tracker counts ${row.leftOver}`);
    }
    for (const { table, rows, ...run } of items) {
      if (!completed.has(nameOf(run))) findings.push(`${nameOf(run)}: ${rows} ${table}, and no COMPLETED job of these`);
    }
    return findings;
  },
};
