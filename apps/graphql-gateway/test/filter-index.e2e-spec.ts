// Compares the index in memory of a running gateway with PostgreSQL and with the data itself. FILTER_INDEX_CASES
// (default 300) sets how many filters are compared on FILTER_INDEX_ROWS (default 2000) companies. FILTER_INDEX_SEED
// repeats a run that failed.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  canonicalKey,
  compileFilter,
  evaluateFilter,
  type FilterRecord,
  type NormalisedFilter,
} from '@tradewind/filters';
import { startService } from '@tradewind/service-kit';
import fc from 'fast-check';
import { PageReader, type PageRequest } from '../src/connections/page-reader.port.js';
import { PostgresPageReader } from '../src/connections/page-reader.postgres.js';
import { service } from '../src/service.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { generatedIds, generatedRecord, structuredFilter } from './support/generated-companies.js';
import { insertCompanies } from './support/records.js';

const cases = Number(process.env['FILTER_INDEX_CASES'] ?? 300);
const rowCount = Number(process.env['FILTER_INDEX_ROWS'] ?? 2000);
const seed = Number(process.env['FILTER_INDEX_SEED'] ?? Date.now() % 1_000_000_000);
const switchedOn = { FILTER_INDEX: 'true', FILTER_INDEX_REFRESH_MS: '20' };

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

function requestFor(filter: NormalisedFilter, options: Partial<PageRequest> = {}): PageRequest {
  const { sql, params } = compileFilter(filter);
  return {
    table: 'company',
    columns: ['id', 'name', 'industry_id', 'revenue_amount', 'location_ids'],
    where: { sql, params },
    filter,
    countKey: canonicalKey(filter),
    sort: [],
    after: null,
    limit: 11,
    isCounted: true,
    ...options,
  };
}

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

/** Waits until the index has the current data version. */
const untilReady = (gateway: TestGateway) =>
  until(async () => {
    const { rows } = await gateway.sql.query<{ version: string }>(
      `select version from data_version where entity = 'company'`,
    );
    const isCurrent = (await metric(gateway, 'filter_index_version')) === Number(rows[0]!.version);
    return isCurrent && (await metric(gateway, 'filter_index_ready')) === 1;
  });
const answeredByIndex = (gateway: TestGateway) =>
  metric(gateway, 'page_read_total', '{source="index",reason="answered"}');
const answeredByPostgres = (gateway: TestGateway, reason: string) =>
  metric(gateway, 'page_read_total', `{source="postgresql",reason="${reason}"}`);

describe(`the filter index (FILTER_INDEX_SEED=${seed})`, () => {
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
    const versionNow = async () =>
      (await sql.query<{ version: string }>(`select version from data_version where entity = 'company'`)).rows[0]!
        .version;
    // The content of the table at each version. There is one writer, so nothing changes between two of its commits.
    const history = new Map([[await versionNow(), new Map(start.map(({ id, record }) => [id, record]))]]);
    const others = fc.sample(generatedRecord, { seed: seed + 1, numRuns: 500 });
    const writes = 60;
    let isWriting = true;
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
        const { rows, count } = await reader.read(request);
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
    await until(async () => (await metric(gateway, 'filter_index_rows')) === 12_000);
    await untilReady(gateway);
    const before = await answeredByIndex(gateway);
    expect((await read()).rows.length).toBe(11);
    expect(await answeredByIndex(gateway)).toBe(before + 1);
    await sql.query('truncate company cascade');
    expect((await read()).count?.count).toBe(0);
    await until(async () => (await metric(gateway, 'filter_index_rows')) === 0);
    // A missing list of changes does not count as no changes.
    await untilReady(gateway);
    await sql.query(`begin; insert into company (id, name) values (5, 'Company'); delete from data_change; commit`);
    expect((await read()).count?.count).toBe(1);
    await until(async () => (await metric(gateway, 'filter_index_rows')) === 1);
  }, 120_000);

  it('answers over the wire with the version beside the count; PostgreSQL answers text and other records', async () => {
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
    const persons = await gateway.data(key, '{ personsConnection { totalCount } }');
    expect(persons.body).toMatchObject({ data: { personsConnection: { totalCount: 0 } } });
    expect(await answeredByPostgres(gateway, 'filter')).toBe(2);
  });

  it('is not built when it would take too much memory, which a metric shows', async () => {
    gateway = await startGateway({ ...switchedOn, FILTER_INDEX_MEMORY_MAX_MB: '1' });
    const { sql } = gateway;
    await sql.query(
      `insert into company (id, name, number_of_employees) select n, 'Company', n from generate_series(1, 40000) as n`,
    );
    await until(async () => (await metric(gateway, 'filter_index_failed_total', '{reason="too_large"}')) === 1);
    expect(await metric(gateway, 'filter_index_ready')).toBe(0);
    expect(await metric(gateway, 'filter_index_bytes')).toBe(0);
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
