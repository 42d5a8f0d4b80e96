// Compares the engine in the memory of a running gateway with PostgreSQL and with the data itself. FILTER_ENGINE_CASES
// (default 300) sets how many filters are compared on FILTER_ENGINE_ROWS (default 2000) companies. A quarter of them is
// compared for each of the four entities while 100 records are written a second. FILTER_ENGINE_SEED repeats a run that
// failed. FILTER_ENGINE_CASES=10000 makes 10,000 filters under these writes.
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { canonicalKey, evaluateFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';
import type { EmbeddedEngine, Entity } from '@tradewind/filter-engine';
import { startService } from '@tradewind/service-kit';
import fc from 'fast-check';
import { PageReader, type PageRequest } from '../src/connections/page-reader.port.js';
import { PostgresPageReader } from '../src/connections/page-reader.postgres.js';
import { DataStore } from '../src/data-store/data-store.js';
import { EngineMaintenance } from '../src/filter-engine/engine-maintenance.port.js';
import { FollowedChanges } from '../src/filter-engine/followed-changes.js';
import { service } from '../src/service.js';
import {
  compareUnderWrites,
  drawnContacts,
  drawnRecord,
  requestFor as pageOf,
  versionOf,
} from './support/drawn-pages.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { generatedIds, generatedRecord, structuredFilter } from './support/generated-companies.js';
import { insertCompanies, insertContacts } from './support/records.js';

const cases = Number(process.env['FILTER_ENGINE_CASES'] ?? 300);
const rowCount = Number(process.env['FILTER_ENGINE_ROWS'] ?? 2000);
const seed = Number(process.env['FILTER_ENGINE_SEED'] ?? Date.now() % 1_000_000_000);
const switchedOn = { FILTER_ENGINE: 'embedded', FILTER_ENGINE_REFRESH_MS: '20' };

type Company = { id: bigint; record: FilterRecord };

interface WireAnswer {
  data: { companiesConnection: { pageInfo: { endCursor: string } } };
  extensions: { dataVersion: { company: string } };
}

function someCompanies(count: number, ids = generatedIds(count)): Company[] {
  const records = fc.sample(generatedRecord, { seed, numRuns: Math.min(count, 2000) });
  return ids.map((id, index) => ({ id, record: records[index % records.length]! }));
}

function rowOf({ id, record }: Company) {
  return { id: String(id), name: `Company ${id}`, ...record };
}

const requestFor = (filter: NormalisedFilter, options: Partial<PageRequest> = {}) =>
  pageOf(filter, {
    columns: filter.entity === 'company' ? ['id', 'name', 'industry_id', 'revenue_amount', 'location_ids'] : ['id'],
    ...options,
  });

async function metric(gateway: TestGateway, name: string, labels = ''): Promise<number> {
  const text = await (await fetch(gateway.replicas[0]!.metricsUrl)).text();
  const line = text.split('\n').find((each) => each.startsWith(`tradewind_graphql_gateway_${name}${labels} `));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  // Far more than a slow machine needs; without a limit a failed test would never end.
  const endMs = performance.now() + 60_000;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`waited in vain until ${String(isTrue)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until the index of an entity has the current data version. */
const untilReady = (gateway: TestGateway, entity: Entity = 'company') =>
  until(async () => {
    const version = BigInt(await versionOf(gateway, entity));
    return gateway.replicas[0]!.app.get(FollowedChanges).current(entity)?.version === version;
  });
const rowsHeld = (gateway: TestGateway) =>
  (gateway.replicas[0]!.app.get(EngineMaintenance).engine as EmbeddedEngine).size('company').rows;
const answeredByIndex = (gateway: TestGateway) =>
  metric(gateway, 'page_read_total', '{source="embedded",reason="answered"}');
const answeredByPostgres = (gateway: TestGateway, reason: string) =>
  metric(gateway, 'page_read_total', `{source="postgres",reason="${reason}"}`);

describe(`the filter engine (FILTER_ENGINE_SEED=${seed})`, () => {
  let gateway: TestGateway;

  afterEach(() => gateway.close());

  it('answers every structured filter as PostgreSQL does: count, rows, and pages behind any cursor', async () => {
    gateway = await startGateway(switchedOn);
    const companies = someCompanies(rowCount);
    await insertCompanies(gateway.sql, companies.map(rowOf));
    await untilReady(gateway);
    const { app } = gateway.replicas[0]!;
    let matches = 0;
    for (const [number, filter] of fc.sample(structuredFilter, { seed, numRuns: cases }).entries()) {
      const after = number % 3 === 0 ? null : [String(companies[(number * 7919) % companies.length]!.id)];
      const request = requestFor(filter, { after, limit: 1 + (number % 51) });
      const [ours, theirs] = [await app.get(PageReader).read(request), await app.get(PostgresPageReader).read(request)];
      // Rows from the index end with the data version.
      const byIndex = ours.rows.map((row) => row.slice(0, -1));
      // The message shows the filter when they differ.
      expect({ filter, count: ours.count, rows: byIndex }).toEqual({ filter, count: theirs.count, rows: theirs.rows });
      matches += ours.count!.count;
    }
    expect(matches).toBeGreaterThan(cases);
    expect(await answeredByIndex(gateway)).toBe(cases);
  }, 3_600_000);

  it('states the data version for which every answer is exact, while companies are written', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    const start = someCompanies(400);
    await insertCompanies(sql, start.map(rowOf));
    await untilReady(gateway);
    const versionNow = () => versionOf(gateway, 'company');
    // The content of the table at each version. There is one writer, so nothing changes between two of its commits.
    const history = new Map([[await versionNow(), new Map(start.map(({ id, record }) => [id, record]))]]);
    const others = fc.sample(generatedRecord, { seed: seed + 1, numRuns: 500 });
    const writes = 60;
    let isWriting = true;
    let committed = [...history.keys()].at(-1)!;
    const writer = (async () => {
      for (let round = 0; round < writes; round++) {
        const current = new Map([...history.values()].at(-1));
        const ids = [...current.keys()];
        const changed = ids[(round * 37) % ids.length]!;
        const removed = ids[(round * 53 + 1) % ids.length]!;
        const added = { id: BigInt(10_000 + round * 3), record: others[(round * 3) % others.length]! };
        const record = others[(round * 7 + 1) % others.length]!;
        const client = await sql.connect();
        // One transaction of three statements makes three versions, of which only the last is visible.
        await client.query('begin');
        await client.query('delete from company where id = any($1)', [[String(removed), String(changed)]]);
        const rows = [rowOf(added), rowOf({ id: changed, record })];
        const columns = Object.keys(rows[0]!).join(', ');
        await client.query(
          `insert into company (${columns}) select ${columns} from jsonb_populate_recordset(null::company, $1)`,
          [JSON.stringify([rows[0]])],
        );
        await client.query(
          `insert into company (${columns}) select ${columns} from jsonb_populate_recordset(null::company, $1)`,
          [JSON.stringify([rows[1]])],
        );
        const { rows: found } = await client.query<{ version: string }>(
          `select version from data_version where entity = 'company'`,
        );
        current.delete(removed);
        current.set(changed, record);
        current.set(added.id, added.record);
        history.set(found[0]!.version, current);
        await client.query('commit');
        committed = found[0]!.version;
        client.release();
        await new Promise((resolve) => setTimeout(resolve, round % 10));
      }
      isWriting = false;
    })();
    const reader = gateway.replicas[0]!.app.get(PageReader);
    const filters = fc.sample(structuredFilter, { seed, numRuns: 200 });
    let answers = 0;
    const versions = new Set<string>();
    const readOn = async (offset: number) => {
      for (let n = offset; isWriting || n < offset + 40; n++) {
        const filter = filters[n % filters.length]!;
        const request = requestFor(filter);
        const before = committed;
        const { rows, count } = await reader.read(request);
        // What was written before a request is in its answer.
        expect(BigInt(count!.version)).toBeGreaterThanOrEqual(BigInt(before));
        const state = history.get(count!.version)!;
        const matching = [...state]
          .filter(([, record]) => evaluateFilter(filter, record))
          .map(([id]) => id)
          .sort((a, b) => (a < b ? -1 : 1));
        expect({ filter, count: count!.count }).toEqual({ filter, count: matching.length });
        // Rows of an answer from the index end with the version of their snapshot.
        if (rows[0]?.length === request.columns.length + 1) {
          expect(rows[0].at(-1)).toBe(count!.version);
          expect(rows.map(([id]) => id)).toEqual(matching.slice(0, 11).map(String));
        }
        versions.add(count!.version);
        answers += 1;
      }
    };
    await Promise.all([writer, readOn(0), readOn(70), readOn(140)]);
    expect(answers).toBeGreaterThan(100);
    expect(versions.size).toBeGreaterThan(5);
    expect(await answeredByIndex(gateway)).toBeGreaterThan(answers / 4);
  }, 120_000);

  it('keeps its answer when other records are written meanwhile, but not when those of the page are', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    await sql.query(`insert into company (id, name) select n, 'Company' from generate_series(1, 100) as n`);
    await untilReady(gateway);
    const { app } = gateway.replicas[0]!;
    const { engine } = app.get(EngineMaintenance);
    const everything: NormalisedFilter = { entity: 'company', today: '2026-11-22', conditions: [] };
    let writes = 0;
    /** Reads the first page. After each search of the engine this is written, with another number for $n each time. */
    const readDuring = async (write: string) => {
      const search = engine.search.bind(engine);
      const spied = jest.spyOn(engine, 'search').mockImplementation(async (query) => {
        const answer = await search(query);
        await sql.query(write.replaceAll('$n', String((writes += 1))));
        return answer;
      });
      const before = await answeredByIndex(gateway);
      const { rows, count } = await app.get(PageReader).read(requestFor(everything));
      const isOfIndex = (await answeredByIndex(gateway)) === before + 1;
      spied.mockRestore();
      return { isOfIndex, count, ids: rows.map(([id]) => Number(id)) };
    };
    const firstIds = Array.from({ length: 11 }, (_, place) => place + 1);
    const versionNow = () => versionOf(gateway, 'company');
    for (const write of [
      `update company set name = 'Another' where id = 20 + $n`,
      `insert into company (id, name) values (200 + $n, 'Company')`,
      'delete from company where id = 80 + $n',
    ]) {
      const found = await readDuring(write);
      const count = Number((await sql.query('select from company')).rowCount);
      // Exact for the version before the last write.
      expect(found.count!.version).toBe(String(BigInt(await versionNow()) - 1n));
      const written = write.startsWith('insert') ? 1 : write.startsWith('delete') ? -1 : 0;
      expect(found).toMatchObject({ isOfIndex: true, ids: firstIds, count: { count: count - written } });
    }
    expect((await readDuring(`update company set name = 'Another' where id = 5`)).isOfIndex).toBe(false);
    // What is not known to be unchanged counts as changed.
    await sql.query(`insert into company (id, name) select n, 'Company' from generate_series(1000, 2100) as n`);
    const many = await readDuring(`update company set name = name where id >= 1000`);
    expect(many).toMatchObject({ isOfIndex: false, ids: firstIds });
    const unlisted = `update company set name = name where id = 40 + $n;
      delete from data_change where version = (select version from data_version where entity = 'company')`;
    expect(await readDuring(unlisted)).toMatchObject({ isOfIndex: false, ids: firstIds });
  }, 60_000);

  it('leaves queries to PostgreSQL after changes that it cannot follow, and is built again', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    const everything: NormalisedFilter = { entity: 'company', today: '2026-11-22', conditions: [] };
    const read = () => gateway.replicas[0]!.app.get(PageReader).read(requestFor(everything));
    await untilReady(gateway);
    expect((await read()).count?.count).toBe(0);
    // More rows than the list of changes of one statement holds.
    await sql.query(`insert into company (id, name) select n, 'Company' from generate_series(1, 12000) as n`);
    expect((await read()).count?.count).toBe(12_000);
    await until(() => Promise.resolve(rowsHeld(gateway) === 12_000));
    await untilReady(gateway);
    const before = await answeredByIndex(gateway);
    expect((await read()).rows.length).toBe(11);
    expect(await answeredByIndex(gateway)).toBe(before + 1);
    await sql.query('truncate company cascade');
    expect((await read()).count?.count).toBe(0);
    await until(() => Promise.resolve(rowsHeld(gateway) === 0));
    // A missing list of changes does not count as no changes.
    await untilReady(gateway);
    await sql.query(`begin; insert into company (id, name) values (5, 'Company'); delete from data_change; commit`);
    expect((await read()).count?.count).toBe(1);
    await until(() => Promise.resolve(rowsHeld(gateway) === 1));
  }, 120_000);

  it('reads everything again when the database lost its last changes and came to a later version without them', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    const found = async (employees: number) => {
      const filter: NormalisedFilter = {
        entity: 'company',
        today: '2026-11-22',
        conditions: [
          { field: '', op: 'in', column: 'number_of_employees', type: 'bigint', values: [employees], isNegated: false },
        ],
      };
      return (await gateway.replicas[0]!.app.get(PageReader).read(requestFor(filter))).count!.count;
    };
    const insert = (id: number) =>
      `insert into company (id, name, number_of_employees) values (${id}, 'Company', ${id});`;
    await insertCompanies(sql, [{}]);
    await untilReady(gateway);
    await sql.query(insert(10));
    await untilReady(gateway);
    expect(await found(10)).toBe(1);
    // As after a failover to a replica that had not received the last transaction, and two others.
    await sql.query(`begin;
      alter table company disable trigger user;
      delete from company where id = 10;
      alter table company enable trigger user;
      delete from data_change where entity = 'company' and version = (select version from data_version where entity = 'company');
      update data_version set version = version - 1 where entity = 'company';
      ${insert(11)}
      ${insert(12)}
      commit`);
    await untilReady(gateway);
    expect([await found(10), await found(11), await found(12)]).toEqual([0, 1, 1]);
  }, 120_000);

  it('answers over the wire with the version beside the count, text and other records, too', async () => {
    gateway = await startGateway(switchedOn);
    await insertCompanies(gateway.sql, [
      { number_of_employees: 10, name: 'Alpha' },
      { number_of_employees: 20, name: 'Beta' },
      { number_of_employees: null, name: 'Gamma' },
    ]);
    await untilReady(gateway);
    const { key } = await gateway.newKey();
    const query =
      'query ($searchFilters: InputCompanySearchFilters, $after: String) { companiesConnection(searchFilters: $searchFilters, after: $after) { totalCount edges { node { id name } } pageInfo { hasNextPage endCursor } } }';
    const ask = async (searchFilters: unknown, after?: string) =>
      (await gateway.data(key, query, { searchFilters, after })).body as WireAnswer;
    const employees = { numberOfEmployees: [{ values: [10], comparison: 'MORE_OR_EQUALS_THAN' }] };
    const first = await ask(employees);
    expect(first).toMatchObject({
      data: { companiesConnection: { totalCount: 2, edges: [{ node: { id: '1', name: 'Alpha' } }] } },
    });
    expect(first.extensions.dataVersion.company).toMatch(/^\d+$/);
    const second = await ask(employees, first.data.companiesConnection.pageInfo.endCursor);
    expect(second.data.companiesConnection).toMatchObject({
      totalCount: 2,
      edges: [{ node: { id: '2', name: 'Beta' } }],
      pageInfo: { hasNextPage: false },
    });
    expect(await answeredByIndex(gateway)).toBe(2);
    const words = await ask({ keywords: [{ values: ['gamma'] }] });
    expect(words.data.companiesConnection).toMatchObject({ totalCount: 1, edges: [{ node: { name: 'Gamma' } }] });
    for (const entity of ['person', 'contact'] as const) await untilReady(gateway, entity);
    const persons = await gateway.data(key, '{ personsConnection { totalCount } }');
    expect(persons.body).toMatchObject({ data: { personsConnection: { totalCount: 0 } } });
    expect(await answeredByIndex(gateway)).toBe(4);
  });

  it('shows private contacts to their owner alone, also by address and person, at once after each change', async () => {
    gateway = await startGateway({ ...switchedOn, DATA_PAGE_SIZE: '10' });
    const { sql } = gateway;
    const mine = await gateway.newKey();
    const other = await gateway.newKey();
    const address = { email: 'Ann.Lee@Example.com', emails: ['ann.lee@example.com', 'Other@example.com'] };
    await sql.query(`insert into person (id, name, role) values (7, 'Ann Lee', 'Buyer')`);
    await insertContacts(sql, [
      { id: 1, name: 'Private of me', owner_id: mine.user.id, is_shared: false, person_id: 7, ...address },
      { id: 2, name: 'Private of them', owner_id: other.user.id, is_shared: false, person_id: 7, ...address },
      { id: 3, name: 'Shared of me', owner_id: mine.user.id, person_id: 8 },
    ]);
    for (const entity of ['person', 'contact'] as const) await untilReady(gateway, entity);
    const query =
      'query ($filters: InputGetContactFilters, $persons: JSONObject) { contactsConnection(filters: $filters, personSearchFilters: $persons) { totalCount edges { node { id } } } }';
    const found = async (key: string, filters: object, persons?: object) => {
      const body = (await gateway.data(key, query, { filters, persons })).body as {
        data: { contactsConnection: { totalCount: number; edges: { node: { id: string } }[] } };
      };
      const { totalCount, edges } = body.data.contactsConnection;
      const ids = edges.map(({ node }) => Number(node.id)).sort();
      expect(totalCount).toBe(ids.length);
      return ids;
    };
    expect(await found(mine.key, {})).toEqual([1, 3]);
    expect(await found(other.key, {})).toEqual([2, 3]);
    expect(await found(other.key, { filterType: 'MINE' })).toEqual([2]);
    expect(await found(other.key, { contactIds: [1] })).toEqual([]);
    const buyers = { identity: [{ values: ['buyer'] }] };
    expect(await found(mine.key, { email: ' ANN.LEE@example.com ' })).toEqual([1]);
    expect(await found(other.key, { email: 'other@example.com' })).toEqual([2]);
    expect(await found(mine.key, { email: 'lee@example.com' })).toEqual([]);
    expect(await found(mine.key, {}, buyers)).toEqual([1]);
    expect(await found(other.key, {}, buyers)).toEqual([2]);
    expect(await answeredByIndex(gateway)).toBe(9);
    await sql.query(`insert into person (id, name, role) values (8, 'Bo', 'Buyer')`);
    expect(await found(mine.key, {}, buyers)).toEqual([1, 3]);
    await sql.query(`update person set role = 'Seller' where id = 7`);
    expect(await found(mine.key, {}, buyers)).toEqual([3]);
    await sql.query('update contact set person_id = 8 where id = 2');
    expect(await found(other.key, {}, buyers)).toEqual([2, 3]);
    expect(await found(mine.key, {}, buyers)).toEqual([3]);
    expect(await answeredByPostgres(gateway, 'filter')).toBe(0);
  });

  it.each(['company', 'person', 'deal', 'contact'] as const)(
    'answers about every %s as PostgreSQL does, in every order, while 100 are written a second',
    async (entity) => {
      gateway = await startGateway(switchedOn);
      const filterCount = Math.ceil(cases / 4);
      const { compared } = await compareUnderWrites({
        ...{ gateway, entity, seed, filterCount, rowCount },
        untilReady: () => untilReady(gateway, entity),
      });
      expect(compared).toBeGreaterThanOrEqual(filterCount);
      expect(await answeredByIndex(gateway)).toBeGreaterThan(filterCount / 2);
      // Without a change of the list of changes nothing is lost.
      expect(await metric(gateway, 'filter_index_lost_total', `{entity="${entity}"}`)).toBe(0);
    },
    3_600_000,
  );

  it('answers for contacts by address and by data of their person as PostgreSQL does, while both are written', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    const insert = async (entity: Entity, firstId: number, records: readonly FilterRecord[]) => {
      const rows = records.map((record, place) => ({ ...record, id: firstId + place }));
      const names = Object.keys(rows[0]!).join(', ');
      await sql.query(
        `insert into ${entity} (${names}) select ${names} from json_populate_recordset(null::${entity}, $1::json)`,
        [JSON.stringify(rows)],
      );
    };
    const recordsOf = (entity: Entity) => fc.sample(drawnRecord(entity), { seed, numRuns: 900 });
    const records = { person: recordsOf('person'), contact: recordsOf('contact') };
    for (const entity of ['person', 'contact'] as const) {
      await insert(entity, 1, records[entity].slice(0, 600));
      await untilReady(gateway, entity);
    }
    const versionNow = async () =>
      (
        await sql.query<{ version: string }>(
          `select string_agg(version::text, '.' order by entity) as version from data_version
            where entity in ('contact', 'person')`,
        )
      ).rows[0]!.version;
    let isDone = false;
    const writing = (async () => {
      for (let id = 601; id <= 900 && !isDone; id++) {
        for (const entity of ['person', 'contact'] as const) {
          const old = (id * 7) % 599 || 599;
          await insert(entity, id, [records[entity][id - 1]!]);
          // A record goes and comes back with another content.
          await sql.query(`delete from ${entity} where id = $1`, [old]);
          await insert(entity, old, [records[entity][(id * 11) % 900]!]);
          await new Promise((resolve) => setTimeout(resolve, 40));
        }
      }
    })();
    const { app } = gateway.replicas[0]!;
    const drawn = fc.sample(drawnContacts, { seed, numRuns: Math.ceil(cases / 2) });
    let compared = 0;
    let matches = 0;
    for (const [number, { filter, person, where }] of drawn.entries()) {
      const request: PageRequest = {
        table: 'contact',
        columns: ['id'],
        where,
        filter,
        ...(person && { person: { filter: person, key: canonicalKey(person) } }),
        alsoReads: person ? ['person'] : [],
        countKey: JSON.stringify([where.sql, where.params]),
        sort: [],
        after: number % 3 === 0 ? [String(number * 3)] : null,
        limit: 1 + (number % 51),
        isCounted: true,
      };
      let isSame = false;
      // Only answers of the same data can be compared; rows and count of PostgreSQL are two statements.
      for (let attempt = 0; attempt < 10 && !isSame; attempt++) {
        const before = await versionNow();
        const ours = await app.get(PageReader).read(request);
        const theirs = await app.get(PostgresPageReader).read(request);
        isSame = (await versionNow()) === before;
        if (!isSame) continue;
        compared += 1;
        matches += ours.count!.count;
        expect({ where, count: ours.count, ids: ours.rows.map(([id]) => id) }).toEqual({
          where,
          count: theirs.count,
          ids: theirs.rows.map(([id]) => id),
        });
      }
    }
    isDone = true;
    await writing;
    expect(compared).toBeGreaterThan(drawn.length / 2);
    expect(matches).toBeGreaterThan(drawn.length);
    expect(await answeredByIndex(gateway)).toBeGreaterThan(drawn.length / 2);
    expect(await answeredByPostgres(gateway, 'filter')).toBe(0);
  }, 600_000);

  it('leaves a connection for what the gateway reads itself while the rows of pages are slow', async () => {
    gateway = await startGateway({ ...switchedOn, DATA_POOL_SIZE: '8', DATABASE_CONNECTION_TIMEOUT_MS: '1000' });
    const { sql } = gateway;
    await insertCompanies(sql, [{}]);
    await untilReady(gateway);
    const { app } = gateway.replicas[0]!;
    const blocker = await sql.connect();
    await blocker.query('begin; lock table company in access exclusive mode');
    const everything = requestFor({ entity: 'company', today: '2026-11-22', conditions: [] });
    const reads = Array.from({ length: 12 }, () =>
      app
        .get(PageReader)
        .read(everything)
        // Without a place in time, a read is refused.
        .catch(() => undefined),
    );
    await until(async () => {
      const { rows } = await sql.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select p.%'`,
      );
      return rows.length > 0;
    });
    const own = await Promise.allSettled([app.get(DataStore).query({ text: 'select 1 as one', values: [] })]);
    await blocker.query('rollback');
    blocker.release();
    await Promise.all(reads);
    expect(own).toEqual([{ status: 'fulfilled', value: [{ one: 1 }] }]);
  });

  it('finds each page among thousands of changed rows, with no more rows read than it has', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    await sql.query(`insert into deal (id, title) select n, 'Deal ' || n % 7 from generate_series(1, 50) n`);
    await untilReady(gateway, 'deal');
    await sql.query(`insert into deal (id, title) select n, 'Deal ' || n % 11 from generate_series(51, 2500) n`);
    await sql.query(`update deal set title = 'A' where id in (7, 900)`);
    await untilReady(gateway, 'deal');
    const { app } = gateway.replicas[0]!;
    const readRows = jest.spyOn(app.get(DataStore), 'readRows');
    const byTitle = { column: 'title', type: 'text', direction: 'desc', isNullable: false } as const;
    const filter: NormalisedFilter = { entity: 'deal', today: '2026-11-22', conditions: [] };
    let after: string[] | null = null;
    for (let page = 0; page < 5; page++) {
      const request = requestFor(filter, { table: 'deal', columns: ['id', 'title'], sort: [byTitle], after });
      const ours = await app.get(PageReader).read(request);
      const idsRead = (readRows.mock.lastCall![0].values[0] as string[]).length;
      expect(idsRead).toBeLessThanOrEqual(2 * request.limit);
      const theirs = await app.get(PostgresPageReader).read(request);
      expect(ours.rows.map((row) => row.slice(0, 2))).toEqual(theirs.rows);
      const [id, title] = theirs.rows.at(-1) as [string, string];
      after = [title, id];
    }
    expect(await answeredByIndex(gateway)).toBe(5);
  });

  it('gives thousands of changed records an index of their own, and does not read the whole table again', async () => {
    gateway = await startGateway(switchedOn);
    const { sql } = gateway;
    await sql.query(`insert into company (id, name) select n, 'Company' from generate_series(1, 500) n`);
    await untilReady(gateway);
    await until(() => Promise.resolve(rowsHeld(gateway) === 500));
    const changes = gateway.replicas[0]!.app.get(FollowedChanges);
    for (let round = 1; round <= 3; round++) {
      await sql.query(`insert into company (id, name) select n, 'Company' from generate_series($1::int, $2::int) n`, [
        4_000 * round,
        4_000 * round + 3_999,
      ]);
      await sql.query(`update company set number_of_employees = $1 where id % 50 = 0`, [round]);
      await untilReady(gateway);
      await until(() => Promise.resolve((changes.current('company')?.count ?? Infinity) < 3_000));
      const read = requestFor({ entity: 'company', today: '2026-11-22', conditions: [] });
      const { count } = await gateway.replicas[0]!.app.get(PageReader).read(read);
      expect(count!.count).toBe(500 + 4_000 * round);
    }
    expect(rowsHeld(gateway)).toBe(500);
    expect(await answeredByIndex(gateway)).toBe(3);
  }, 120_000);

  it('with auto, leaves small tables to PostgreSQL', async () => {
    gateway = await startGateway({ ...switchedOn, FILTER_ENGINE: 'auto' });
    await insertCompanies(gateway.sql, [{}]);
    const some = fc.sample(structuredFilter, { seed, numRuns: 1 })[0]!;
    await gateway.replicas[0]!.app.get(PageReader).read(requestFor(some));
    expect(await answeredByPostgres(gateway, 'not_ready')).toBe(1);
  });

  it('is not built when it would take too much memory, which a metric shows', async () => {
    gateway = await startGateway({ ...switchedOn, FILTER_ENGINE_MEMORY_MAX_MB: '1' });
    const { sql } = gateway;
    await sql.query(
      `insert into company (id, name, number_of_employees) select n, 'Company', n from generate_series(1, 40000) as n`,
    );
    const failed = '{entity="company",reason="too_large"}';
    await until(async () => (await metric(gateway, 'filter_index_failed_total', failed)) === 1);
    expect(rowsHeld(gateway)).toBe(0);
    const some = fc.sample(structuredFilter, { seed, numRuns: 1 })[0]!;
    const { count } = await gateway.replicas[0]!.app.get(PageReader).read(requestFor(some));
    expect(count).toBeDefined();
    expect(await answeredByPostgres(gateway, 'not_ready')).toBe(1);
    expect((await fetch(`${gateway.replicas[0]!.url}/ready`)).status).toBe(200);
  });
});

describe('a gateway that builds its filter index', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const builds = async () =>
    Number(
      (
        await gateway.sql.query<{ count: string }>(
          `select count(*) from pg_stat_activity where application_name = 'graphql_gateway filter index' and datname = current_database()`,
        )
      ).rows[0]!.count,
    );

  it('is ready, answers, and stops at once while the build waits for the database', async () => {
    await insertCompanies(gateway.sql, [{}]);
    const blocker = await gateway.sql.connect();
    await blocker.query(
      'begin; lock table data_change in access exclusive mode; lock table data_version in access exclusive mode',
    );
    const replica = await startService(service, {
      env: {
        ENVIRONMENT: 'dev',
        PORT: '0',
        METRICS_PORT: '0',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: gateway.database.url,
        OAUTH_ISSUER: gateway.identity.url,
        ...switchedOn,
      },
    });
    await until(async () => (await builds()) === 1);
    expect((await fetch(`${replica.url}/ready`)).status).toBe(200);
    const some = fc.sample(structuredFilter, { seed, numRuns: 1 })[0]!;
    const { rows } = await replica.app.get(PageReader).read(requestFor(some, { isCounted: false }));
    expect(rows.length).toBeLessThan(2);
    await replica.close();
    await blocker.query('rollback');
    blocker.release();
    await until(async () => (await builds()) === 0);
  });
});
