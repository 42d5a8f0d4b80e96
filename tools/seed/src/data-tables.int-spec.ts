import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatewayDatabase, type GatewayDatabase } from '../test/gateway-database.js';
import { columnsOf, entities } from './data-tables.js';

const sqlNames: Readonly<Record<string, string>> = { json: 'jsonb', timestamp: 'timestamp(3) with time zone' };

describe('the written columns', () => {
  let database: GatewayDatabase;

  beforeAll(async () => {
    database = await createGatewayDatabase();
  });
  afterAll(() => database.drop());

  it.each(entities)('of %s are all that the gateway does not generate, with their types', async (entity) => {
    const { rows } = await database.client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [entity],
    );
    expect(columnsOf(entity).map(([name, type]) => [name, sqlNames[type] ?? type])).toEqual(
      rows.map(({ name, type }) => [name, type]),
    );
  });
});
