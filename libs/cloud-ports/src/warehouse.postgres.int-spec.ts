import { createTestDatabase } from '@tradewind/testkit';
import { warehouseContract } from '../test/contracts/warehouse.contract.js';
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
