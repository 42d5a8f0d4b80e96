import { InsertAllAppender } from '../src/bigquery-insert-all.js';
import { BigQueryWarehouse } from '../src/warehouse.bigquery.js';
import { warehouseContract } from './contracts/warehouse.contract.js';
import { bigQueryEmulator } from './emulators.js';

const projectId = 'emulated';

warehouseContract('BigQueryWarehouse on goccy/bigquery-emulator', async () => {
  const emulator = await bigQueryEmulator(projectId);
  const options = { projectId, dataset: `tradewind_${Date.now()}`, location: 'EU', apiEndpoint: emulator.address };
  const open = () => new BigQueryWarehouse(options, (bigquery) => new InsertAllAppender(bigquery, options.dataset));
  const warehouse = open();
  await warehouse.migrate();
  // The emulator's reader of JSON now and then loses the end of requests of several megabytes.
  const bulk = { rows: 700, textBytes: 200 };
  return { warehouse, replica: open(), bulk, close: () => emulator.stop() };
});
