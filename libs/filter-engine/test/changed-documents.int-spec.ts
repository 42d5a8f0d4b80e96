// What the feeder finds in the list of changes of the gateway's real tables.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changedDocuments, changedIds, changesSince, type KnownChanges } from '../src/opensearch/changed-documents.js';
import { createGatewayTables, type GatewayTables } from './gateway-tables.js';

const insertCompanies = `insert into company (id, name) select id, 'Company' from generate_series($1::bigint, $2::bigint) id`;

describe('the list of changes', () => {
  let tables: GatewayTables;

  beforeEach(async () => {
    tables = await createGatewayTables();
  });
  afterEach(() => tables.drop());

  async function versionNow(): Promise<bigint> {
    const { rows } = await tables.sql.query<{ version: string }>(
      `select version from data_version where entity = 'company'`,
    );
    return BigInt(rows[0]!.version);
  }

  async function known(since: bigint): Promise<KnownChanges> {
    const changes = await changesSince(tables.sql, 'company', since);
    if (changes.outcome === 'unknown') throw new Error(`the changes since ${since} are not known`);
    return changes;
  }

  async function idsOf(changes: KnownChanges): Promise<{ parts: number[]; ids: number[] }> {
    const parts = [];
    for await (const ids of changedIds(tables.sql, 'company', changes)) parts.push(ids.map(Number));
    return { parts: parts.map(({ length }) => length), ids: parts.flat().sort((a, b) => a - b) };
  }

  it('has the records of a large statement in parts, after the small ones before it', async () => {
    const start = await versionNow();
    await tables.sql.query(insertCompanies, [1, 3]);
    await tables.sql.query(insertCompanies, [4, 25_003]);
    await tables.sql.query('delete from company where id = 2');
    const small = await known(start);
    expect(small).toMatchObject({ upTo: start + 1n, version: start + 3n, parts: 0, hasMore: true });
    expect(await idsOf(small)).toEqual({ parts: [3], ids: [1, 2, 3] });
    const large = await known(small.upTo);
    expect(large).toMatchObject({ upTo: start + 2n, ids: [], parts: 3, hasMore: true });
    const { parts, ids } = await idsOf(large);
    expect(parts).toEqual([10_000, 10_000, 5_000]);
    expect(ids).toEqual(Array.from({ length: 25_000 }, (_, place) => place + 4));
    expect(await known(large.upTo)).toMatchObject({ upTo: start + 3n, ids: ['2'], parts: 0, hasMore: false });
    expect(await known(start + 3n)).toMatchObject({ upTo: start + 3n, ids: [], parts: 0, hasMore: false });
  });

  it('has both ids of records whose id a large statement changed, and none of the documents that are gone', async () => {
    await tables.sql.query(insertCompanies, [1, 12_000]);
    const start = await versionNow();
    await tables.sql.query('update company set id = id + 100000');
    const changes = await known(start);
    expect((await idsOf(changes)).ids).toHaveLength(24_000);
    let [there, gone] = [0, 0];
    for await (const { documents } of changedDocuments(tables.sql, 'company', changes))
      for (const { document } of documents)
        if (document === null) gone += 1;
        else there += 1;
    expect({ there, gone }).toEqual({ there: 12_000, gone: 12_000 });
  });

  it('has the contacts of persons that changed, however many one person has', async () => {
    await tables.sql.query(`insert into person (id, name) select id, 'Person' from generate_series(1, 3) id`);
    await tables.sql.query(`insert into contact (id, name, person_id, owner_id)
      select id, 'Contact', case when id <= 12000 then 1 when id <= 12010 then 2 end, '00000000-0000-0000-0000-000000000001'
      from generate_series(1, 12020) id`);
    const { rows } = await tables.sql.query<{ version: string }>(
      `select version from data_version where entity = 'person'`,
    );
    await tables.sql.query(`update person set name = 'Other' where id in (1, 3)`);
    const changes = await changesSince(tables.sql, 'person', BigInt(rows[0]!.version));
    if (changes.outcome === 'unknown') throw new Error('the changes of persons are not known');
    const parts: number[] = [];
    const found = new Set<string>();
    for await (const { documents } of changedDocuments(tables.sql, 'contact', changes)) {
      parts.push(documents.length);
      for (const { id, document } of documents) {
        expect((JSON.parse(document!) as { person: object }).person).toMatchObject({ name_normalised: 'other' });
        found.add(id);
      }
    }
    expect(parts).toEqual([5_000, 5_000, 2_000]);
    expect(found.size).toBe(12_000);
  });

  it('is not known after a truncation, with a gap, and for a version that is not there yet', async () => {
    const start = await versionNow();
    await tables.sql.query(insertCompanies, [1, 12_000]);
    expect((await known(start)).parts).toBe(2);
    expect(await changesSince(tables.sql, 'company', start + 9n)).toEqual({ outcome: 'unknown' });
    // Parts go with their change.
    await tables.sql.query('delete from data_change');
    expect(await changesSince(tables.sql, 'company', start)).toEqual({ outcome: 'unknown' });
    expect((await tables.sql.query('select from data_change_part')).rowCount).toBe(0);
    await tables.sql.query('truncate company');
    expect(await changesSince(tables.sql, 'company', start + 1n)).toEqual({ outcome: 'unknown' });
  });
});
