import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatewayDatabase, type GatewayDatabase } from '../test/gateway-database.js';
import { columnsOf, entities } from './data-tables.js';
import { copiedColumns } from './import/copied-columns.js';
import { importFields } from './import/import-fields.js';
import { syntheticCompany } from './synthetic/companies.js';
import { syntheticContact } from './synthetic/contacts.js';
import { syntheticDeal } from './synthetic/deals.js';
import { syntheticPerson } from './synthetic/persons.js';

const none = { count: 0, at: () => undefined as never };
const links = { companies: none, persons: none };
const synthetic = {
  company: syntheticCompany(1, 0),
  person: syntheticPerson(1, 0, 1),
  deal: syntheticDeal(1, 0, 1, links),
  contact: syntheticContact(1, 0, 1, links, []),
};

describe('the columns of the data tables', () => {
  let database: GatewayDatabase;

  beforeAll(async () => {
    database = await createGatewayDatabase();
  });
  afterAll(() => database.drop());

  it.each(entities)('are all set in a synthetic row: %s', async (entity) => {
    const names = (await columnsOf(database.client, entity)).map(({ name }) => name);
    expect(Object.keys(synthetic[entity]).sort()).toEqual(names.sort());
  });

  it.each(entities)('include every field of an import and every copied column: %s', async (entity) => {
    const names = (await columnsOf(database.client, entity)).map(({ name }) => name);
    const amounts = importFields[entity].flatMap(({ value }) => ('amountColumn' in value ? [value.amountColumn] : []));
    const fields = importFields[entity].map(({ column }) => column);
    expect(names).toEqual(
      expect.arrayContaining([...fields, ...amounts, ...Object.values(copiedColumns[entity]).flat()]),
    );
  });
});
