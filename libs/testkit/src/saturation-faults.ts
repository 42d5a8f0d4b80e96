// A database that is stuck. Every table is locked, so statements wait until they run out of time. Soon every connection
// of the pool is in use.
import pg from 'pg';

export interface SaturationCheck {
  databaseUrl: string;
  /** The schema whose tables are locked. */
  schema: string;
  /** Requests that need the database, by name. Each is sent many times at once, and may be repeated. */
  requests: Readonly<Record<string, () => Promise<Response>>>;
}

/** Settings of the service under test: few connections, which are soon in use, and short time limits. */
export const saturationSettings = {
  DATABASE_POOL_SIZE: '3',
  DATABASE_CONNECTION_TIMEOUT_MS: '500',
  DATABASE_STATEMENT_TIMEOUT_MS: '800',
};
/** How often each request is sent at once: more than the pool has connections. */
const parallel = 4;
/** Longest time until a refusal, milliseconds. */
const answerMsMax = 5_000;

/**
 * What is wrong with the answers of a service whose database is stuck; an empty list when nothing is. Each request is
 * refused in time with 503 and `Retry-After`, and succeeds as soon as the tables are free. The service must have
 * `saturationSettings`.
 */
export async function saturationFaults(check: SaturationCheck): Promise<string[]> {
  const { requests } = check;
  const faults = new Set<string>();
  const send = async (name: string, request: () => Promise<Response>) => {
    const startedMs = performance.now();
    const { status, headers } = await request();
    const ms = Math.round(performance.now() - startedMs);
    if (status !== 503) faults.add(`${name}: ${status} instead of 503`);
    if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) faults.add(`${name}: ${status} without Retry-After`);
    if (ms > answerMsMax) faults.add(`${name}: answered after ${ms} ms`);
  };
  const locker = new pg.Client({ connectionString: check.databaseUrl, options: `-c search_path=${check.schema}` });
  await locker.connect();
  try {
    const { rows } = await locker.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    await locker.query(`begin; lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`);
    const copies = Array.from({ length: parallel }, () => Object.entries(requests)).flat();
    await Promise.all(copies.map(([name, request]) => send(name, request)));
  } finally {
    await locker.end();
  }
  for (const [name, request] of Object.entries(requests)) {
    const { status } = await request();
    if (status >= 400) faults.add(`${name}: ${status} when the tables were free again`);
  }
  return [...faults];
}
