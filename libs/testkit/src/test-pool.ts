import pg from 'pg';

/**
 * A pool of connections for the statements of a test. `pool.end()` resolves before its connections are closed; dropping
 * the test database then ends them with an error (57P01) that no statement waits for, and that would end the test run.
 */
export function testPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  pool.on('error', () => undefined);
  return pool;
}
