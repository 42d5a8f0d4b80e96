// Row counts of every table before and after requests that are all refused.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { RunRule } from './rule.types.js';

/** Tables that a refusal may write: the audit log, counters of attempts, and payloads kept for a person to look at. */
const writtenByRefusals =
  /^(graphql_gateway\.api_key_audit\w*|identity\.attempt_window|priority_webhook\.unusable_payload)$/;

export const refusedWriteNothing: RunRule = {
  name: 'refused requests write nothing',
  async begin({ target: { databaseUrl }, settleMs }) {
    if (databaseUrl === undefined) return () => [];
    const early = await rowCounts(databaseUrl);
    await sleep(settleMs);
    const before = await rowCounts(databaseUrl);
    const moving = new Set([...before].filter(([table, count]) => early.get(table) !== count).map(([table]) => table));
    return async () => {
      await sleep(settleMs);
      return [...(await rowCounts(databaseUrl))].flatMap(([table, count]) => {
        const growth = count - (before.get(table) ?? 0);
        if (growth <= 0 || moving.has(table) || writtenByRefusals.test(table)) return [];
        return [`${table} has ${growth} more rows`];
      });
    };
  },
};

async function rowCounts(databaseUrl: string): Promise<Map<string, number>> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const tables = await database.query<{ name: string; identifier: string }>(
      `select schemaname || '.' || tablename as name, format('%I.%I', schemaname, tablename) as identifier
         from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const counts = new Map<string, number>();
    for (const { name, identifier } of tables.rows) {
      const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from ${identifier}`);
      counts.set(name, rows[0]?.count ?? 0);
    }
    return counts;
  } finally {
    await database.end();
  }
}
