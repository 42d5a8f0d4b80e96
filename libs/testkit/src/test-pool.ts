import pg from 'pg';

/**
 * A pool of connections for the statements of a test. `pool.end()` resolves before its connections are closed. Dropping
 * the test database then ends them with an error (57P01). No statement waits for it, and it would end the test run.
 */
export function testPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  pool.on('error', () => undefined);
  return pool;
}
