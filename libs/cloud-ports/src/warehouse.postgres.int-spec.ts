import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { post, warehouseContract } from '../test/contracts/warehouse.contract.js';
import { PostgresWarehouse } from './warehouse.postgres.js';

warehouseContract('PostgresWarehouse', async () => {
  const database = await createTestDatabase();
  const options = { databaseUrl: database.url, poolSize: 4 };
  const warehouse = new PostgresWarehouse(options);
  const replica = new PostgresWarehouse(options);
  await warehouse.migrate();
  return {
    warehouse,
    replica,
    async close() {
      await Promise.all([warehouse.onApplicationShutdown(), replica.onApplicationShutdown()]);
      await database.drop();
    },
  };
});

describe('PostgresWarehouse', () => {
  it('names the rows that PostgreSQL refuses, and stores the others', async () => {
    const database = await createTestDatabase();
    const warehouse = new PostgresWarehouse({ databaseUrl: database.url, poolSize: 2 });
    const client = new pg.Client({ connectionString: database.url });
    try {
      await warehouse.migrate();
      await client.connect();
      await client.query(`alter table warehouse.network_posts add check (content <> 'refused')`);
      const rows = Array.from({ length: 40 }, (_, index) => post({ content: index % 13 === 7 ? 'refused' : 'fine' }));
      const { appended, rejected } = await warehouse.append('network_posts', rows);
      expect(appended).toBe(37);
      expect(rejected.map(({ row_id }) => row_id).sort()).toEqual(
        rows
          .filter(({ content }) => content === 'refused')
          .map(({ row_id }) => row_id)
          .sort(),
      );
      expect(rejected[0]!.reason).toContain('check constraint');
      // A fault of the whole is one: nothing is refused that could be stored later.
      await client.query('alter table warehouse.network_posts rename to away');
      await expect(warehouse.append('network_posts', rows)).rejects.toThrow('does not exist');
    } finally {
      await client.end();
      await warehouse.onApplicationShutdown();
      await database.drop();
    }
  });
});
