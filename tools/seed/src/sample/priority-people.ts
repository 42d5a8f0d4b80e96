// Priority people of the monthly pipeline in the embedded warehouse: the first sample persons, by their network handle.
import { createHash } from 'node:crypto';
import { createWarehouse, type WarehouseRows } from '@tradewind/cloud-ports';
import { syntheticPerson } from '../synthetic/persons.js';

/** People that the pipeline can scrape. */
const usableCount = 250;
/** Priority people without a handle: the pipeline has to pass them over. */
const handlelessCount = 5;
/** People with a handle who are no priority. */
const otherCount = 20;

/** A fixed moment, so that a repeat writes the same rows. */
const writtenAt = new Date('2026-01-01T00:00:00Z');

/** Appends the rows; those there already stay. Returns the number of usable priority people. */
export async function writePriorityPeople(databaseUrl: string, seed: number): Promise<number> {
  const warehouse = await createWarehouse({
    CLOUD: 'embedded',
    WAREHOUSE_DATABASE_URL: databaseUrl,
    WAREHOUSE_POOL_SIZE: 1,
    BIGQUERY_DATASET: 'tradewind',
    BIGQUERY_LOCATION: 'EU',
    BIGQUERY_WRITE: 'insert_all',
  });
  try {
    await warehouse.migrate();
    const { fields, identifiers } = priorityRows(seed);
    await warehouse.append('person_fields', fields);
    await warehouse.append('person_identifiers', identifiers);
  } finally {
    await warehouse.onApplicationShutdown();
  }
  return usableCount;
}

/** Rows of both tables. Some handles have capitals, as people write them; one identifier is stored twice. */
function priorityRows(seed: number): {
  fields: WarehouseRows['person_fields'][];
  identifiers: WarehouseRows['person_identifiers'][];
} {
  const fields: WarehouseRows['person_fields'][] = [];
  const identifiers: WarehouseRows['person_identifiers'][] = [];
  for (let place = 0; place < usableCount + handlelessCount + otherCount; place++) {
    const person_id = uuidOf(`person ${place + 1}`);
    const isPriority = place < usableCount + handlelessCount;
    fields.push({ row_id: rowId('fields', person_id), person_id, isPriority, ingested_at: writtenAt });
    if (place >= usableCount && isPriority) continue;
    const [network] = syntheticPerson(seed, place, 1).identifiers;
    const identifierValue = place % 50 === 7 ? capitalised(network!.value) : network!.value;
    const row = { person_id, identifierType: 'NETWORK', identifierValue, ingested_at: writtenAt };
    identifiers.push({ row_id: rowId('identifiers', person_id), ...row });
    if (place === 0) identifiers.push({ row_id: rowId('identifiers again', person_id), ...row });
  }
  return { fields, identifiers };
}

/** A UUID that follows from a name (version 8, RFC 9562). */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`tradewind sample ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function rowId(table: string, personId: string): string {
  return createHash('sha256').update(`${table} ${personId}`).digest('hex');
}

function capitalised(handle: string): string {
  return handle.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
