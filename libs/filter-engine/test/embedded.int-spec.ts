// The engine in memory gives the pages and counts of PostgreSQL, for drawn rows, filters, orders and cursors of all
// entities. FILTER_ENGINE_CASES (default 150 for each entity) sets how many filters; FILTER_SEED repeats a run.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalKey, compileFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';
import fc from 'fast-check';
import pg from 'pg';
import {
  buildIndex,
  type BuildOrder,
  ChangedRows,
  type CursorPosition,
  EmbeddedEngine,
  type Entity,
  type FilterAnswer,
  type FilterQuery,
  readIndex,
  type SortKey,
  type Unanswered,
} from '../src/index.js';
import { drawnContacts, drawnFilter, drawnRecord, drawnSort, drawnUntil } from './drawn-queries.js';
import { createGatewayTables, type GatewayTables } from './gateway-tables.js';

const cases = Number(process.env['FILTER_ENGINE_CASES'] ?? 150);
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000_000);
const entities: readonly Entity[] = ['company', 'person', 'deal', 'contact'];
const rowCount = 1_300;
const unlimited = Number.MAX_SAFE_INTEGER;
const byId: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

describe(`the engine in memory (FILTER_SEED=${seed})`, () => {
  let tables: GatewayTables;
  let client: pg.Client;
  let engine: EmbeddedEngine;

  beforeAll(async () => {
    tables = await createGatewayTables();
    client = new pg.Client({ connectionString: tables.url });
    await client.connect();
    engine = new EmbeddedEngine();
  });
  afterAll(async () => {
    await client.end();
    await tables.drop();
  });

  async function insert(entity: Entity, firstId: number, records: readonly FilterRecord[]): Promise<void> {
    const rows = records.map((record, place) => ({ ...record, id: firstId + place }));
    const columns = Object.keys(rows[0]!).join(', ');
    await client.query(
      `insert into ${entity} (${columns}) select ${columns} from json_populate_recordset(null::${entity}, $1::json)`,
      [JSON.stringify(rows)],
    );
  }

  /** Ids in steps of three unless told otherwise, so that cursors can lie between them. */
  async function fill(entity: Entity, step = 3): Promise<void> {
    await client.query(`truncate ${entity}`);
    const records = fc.sample(drawnRecord(entity), { seed, numRuns: rowCount });
    await insert(entity, 1, records);
    await client.query(`update ${entity} set id = id * ${step} + 1000000`);
    await client.query(`update ${entity} set id = id - 1000000`);
  }

  const versionOf = async (entity: Entity) =>
    BigInt(
      (await client.query<{ version: string }>('select version from data_version where entity = $1', [entity])).rows[0]!
        .version,
    );

  function queryOf(filter: NormalisedFilter, options: Partial<FilterQuery> = {}): FilterQuery {
    return {
      filter,
      key: canonicalKey(filter),
      sort: [byId],
      after: null,
      limit: 50,
      isCounted: true,
      since: 0n,
      upTo: 2n ** 62n,
      except: [],
      ...options,
    };
  }

  async function answered(query: FilterQuery): Promise<FilterAnswer> {
    expect(engine.canAnswer(query)).toBe(true);
    const answer: FilterAnswer | Unanswered = await engine.search(query);
    if (typeof answer === 'string') throw new Error(`no answer: ${answer}`);
    return answer;
  }

  /** Ids in the order asked for; the SQL is that of a page. */
  async function ordered(entity: Entity, where: { sql: string; params: unknown[] }, sort: readonly SortKey[]) {
    const order = sort.map(({ column, direction }) => `t.${column} ${direction} nulls last`).join(', ');
    const { rows } = await client.query<{ ids: string[] }>(
      `select array(select t.id::text from ${entity} t where ${where.sql} order by ${order}) as ids`,
      where.params,
    );
    return rows[0]!.ids.map(BigInt);
  }

  async function positionOf(entity: Entity, id: bigint, sort: readonly SortKey[]): Promise<CursorPosition> {
    const columns = sort.map(({ column, type }) =>
      type === 'timestamptz'
        ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
        : `${column}::text`,
    );
    const { rows } = await client.query<(string | null)[]>({
      text: `select ${columns.join(', ')} from ${entity} where id = $1`,
      values: [String(id)],
      rowMode: 'array',
    });
    return rows[0]!;
  }

  describe.each(entities)('for %s', (entity) => {
    beforeAll(async () => {
      await fill(entity);
      engine.use(await readIndex(client, entity, { bytesMax: unlimited }));
      // Rows that the engine does not have, for cursors.
      await insert(entity, 500_000, fc.sample(drawnRecord(entity), { seed: seed + 1, numRuns: 60 }));
      await client.query(`update ${entity} set id = (id - 500000) * 60 + 2 where id >= 500000`);
    }, 120_000);

    it('gives the page and the count of PostgreSQL in every order, behind every cursor, without the excepted rows', async () => {
      // Filters that never match would prove nothing.
      let matches = 0;
      const isEnough = () => matches > (cases * rowCount) / 100;
      const drawn = drawnUntil(fc.tuple(drawnFilter(entity), drawnSort(entity)), { seed, count: cases, isEnough });
      for (const [number, [filter, sort]] of drawn) {
        const { sql, params } = compileFilter(filter);
        const isBuilt = 't.id % 3 = 0';
        const matching = await ordered(entity, { sql: `${sql} and ${isBuilt}`, params }, sort);
        const all = await ordered(entity, { sql: 'true', params: [] }, sort);
        const except =
          number % 3 === 0 ? all.filter((id) => (id * 7n) % 11n === 0n).sort((a, b) => (a < b ? -1 : 1)) : [];
        const excepted = new Set(except);
        const right = matching.filter((id) => !excepted.has(id));
        const limit = 1 + ((number * 7) % 60);
        for (const place of [-1, (number * 131) % all.length, (number * 977) % all.length]) {
          const after = place < 0 ? null : await positionOf(entity, all[place]!, sort);
          const behind = new Set(all.slice(place + 1));
          const answer = await answered(queryOf(filter, { sort, after, limit, except }));
          expect({ filter, sort, after, ids: answer.ids, count: answer.count }).toEqual({
            filter,
            sort,
            after,
            ids: right.filter((id) => behind.has(id)).slice(0, limit),
            count: right.length,
          });
        }
        matches += right.length;
      }
      expect(isEnough()).toBe(true);
    }, 600_000);

    it('is exact after changes, when the caller judges the changed rows', async () => {
      const changed = new ChangedRows(engine.version(entity)!);
      const { rows } = await client.query<FilterRecord & { id: string }>(
        `select * from ${entity} t where t.id % 60 = 2`,
      );
      changed.apply(
        await versionOf(entity),
        rows.map((row) => [BigInt(row.id), dated(row)]),
      );
      for (const filter of fc.sample(drawnFilter(entity), { seed: seed + 2, numRuns: 60 })) {
        const query = queryOf(filter, { since: changed.since, except: changed.ids, limit: 5_000 });
        const { ids, count } = await answered(query);
        const matching = changed.matching(filter) as bigint[];
        const { sql, params } = compileFilter(filter);
        const right = await ordered(entity, { sql, params }, [byId]);
        expect([...ids, ...matching].sort((a, b) => (a < b ? -1 : 1))).toEqual(right);
        expect(count! + matching.length).toBe(right.length);
      }
    }, 120_000);

    it('is exact with an index of the rows that changed, and keeps it beside an older index of all rows', async () => {
      const changes = async (remainder: number): Promise<bigint[]> => {
        const { rows } = await client.query<{ ids: string[] }>(
          `with gone as (delete from ${entity} where id % 77 = $1 returning id),
             moved as (update ${entity} set id = id + 2000000 where id % 78 = $1 and id % 77 <> $1 returning id)
           select array(select id from gone union all select id from moved union all select id - 2000000 from moved) as ids`,
          [remainder],
        );
        return rows[0]!.ids.map(BigInt);
      };
      const compare = async (changed?: ChangedRows) => {
        const filters = fc.sample(drawnFilter(entity), { seed: seed + 3, numRuns: 40 });
        const sorts = fc.sample(drawnSort(entity), { seed: seed + 3, numRuns: 40 });
        for (const [number, filter] of filters.entries()) {
          const sort = sorts[number]!;
          const { sql, params } = compileFilter(filter);
          const isKnown = `not t.id = any('{${changed?.ids.join(',') ?? ''}}'::bigint[])`;
          const right = await ordered(entity, { sql: `${sql} and ${isKnown}`, params }, sort);
          const middle = right[Math.floor(right.length / 2)];
          for (const from of [undefined, middle]) {
            const after = from === undefined ? null : await positionOf(entity, from, sort);
            const except = changed?.ids ?? [];
            const answer = await answered(queryOf(filter, { sort, after, limit: 30, except }));
            const begin = from === undefined ? 0 : right.indexOf(from) + 1;
            const ids = right.slice(begin, begin + 30);
            expect({ filter, sort, ids: answer.ids, count: answer.count }).toEqual({
              filter,
              sort,
              ids,
              count: right.length,
            });
          }
        }
      };
      const all = await readIndex(client, entity, { bytesMax: unlimited });
      engine.use(all);
      const first = { ids: await changes(1), upTo: await versionOf(entity) };
      engine.useChanges(await readIndex(client, entity, { bytesMax: unlimited, ids: first.ids }), [first]);
      await compare();
      const between = await readIndex(client, entity, { bytesMax: unlimited });
      const second = { ids: await changes(2), upTo: await versionOf(entity) };
      // What changes before the index is read is masked by the caller.
      const later = new ChangedRows(second.upTo);
      later.apply(
        second.upTo + 1n,
        (await changes(3)).map((id) => [id, null]),
      );
      const ids = [...first.ids, ...second.ids];
      const built = await readIndex(client, entity, { bytesMax: unlimited, ids: ids });
      engine.useChanges(built, [...engine.changedIds(entity), second]);
      expect(engine.version(entity)).toBe(second.upTo);
      const everything: NormalisedFilter = { entity, today: '', conditions: [] };
      expect(await engine.search(queryOf(everything, { upTo: second.upTo }))).toBe('behind');
      await compare(later);
      engine.use(between);
      expect(engine.changedIds(entity)).toEqual([second]);
      await compare(later);
      const newest = await readIndex(client, entity, { bytesMax: unlimited });
      engine.use(newest);
      expect(engine.version(entity)).toBe(BigInt(newest.version));
      await compare();
    }, 120_000);

    it('has no answer for a version after its build, nor after it was dropped', async () => {
      const filter: NormalisedFilter = { entity, today: '', conditions: [] };
      const since = engine.version(entity)! + 1n;
      expect(await engine.search(queryOf(filter, { since }))).toBe('behind');
      engine.drop(entity);
      expect(engine.version(entity)).toBeUndefined();
      expect(await engine.search(queryOf(filter))).toBe('not_ready');
    });
  });

  describe('for contacts by address and by their person', () => {
    type Followed = Record<'contact' | 'person', ChangedRows>;
    const entitiesOfJoin = ['person', 'contact'] as const;
    const followed = (entity: Entity) => new ChangedRows(engine.version(entity)!);
    const masked = ({ since, version: upTo, ids: except }: ChangedRows) => ({ since, upTo, except });

    beforeAll(async () => {
      await fill('person', 1);
      await fill('contact');
      for (const entity of entitiesOfJoin) engine.use(await readIndex(client, entity, { bytesMax: unlimited }));
    }, 120_000);

    /** Deletes some records, and inserts others, of which half have the ids of deleted ones. */
    async function change(entity: 'contact' | 'person', round: number, changed: readonly ChangedRows[]): Promise<void> {
      const { rows } = await client.query<{ ids: string[] }>(
        `with gone as (delete from ${entity} where id % 23 = $1 returning id) select array(select id from gone) as ids`,
        [round],
      );
      const firstId = 3_000_000 + round * 100;
      await insert(entity, firstId, fc.sample(drawnRecord(entity), { seed: seed + round, numRuns: 40 }));
      const gone = rows[0]!.ids.map(BigInt);
      const added = Array.from({ length: 40 }, (_, place) => BigInt(firstId + place));
      for (const [place, id] of gone.slice(0, 20).entries())
        await client.query(`update ${entity} set id = $1 where id = $2`, [String(id), String(added[place])]);
      const ids = [...gone, ...added];
      const found = await client.query<FilterRecord & { id: string }>(
        `select * from ${entity} where id = any($1::bigint[])`,
        [ids.map(String)],
      );
      const now = new Map(found.rows.map((row) => [BigInt(row.id), dated(row)]));
      const version = await versionOf(entity);
      for (const each of new Set(changed))
        each.apply(
          version,
          ids.map((id) => [id, now.get(id) ?? null]),
        );
    }

    async function compare({ contact, person }: Followed): Promise<void> {
      let matches = 0;
      const isEnough = () => matches > 80;
      const drawn = drawnUntil(drawnContacts, { seed: seed + 20, count: 80, isEnough });
      for (const [, { filter, person: personFilter, where }] of drawn) {
        const own = contact.rowsOf(contact.matching(filter) as bigint[]);
        const personOf = (row: FilterRecord) => (row['person_id'] === null ? null : BigInt(row['person_id'] as string));
        const query = queryOf(filter, {
          ...masked(contact),
          limit: 5_000,
          ...(personFilter && {
            person: {
              filter: personFilter,
              key: canonicalKey(personFilter),
              ...masked(person),
              matching: person.matching(personFilter) as bigint[],
              asked: own.map(([, row]) => personOf(row)).filter((id) => id !== null),
            },
          }),
        });
        const { ids, count, persons } = await answered(query);
        const isRight = (row: FilterRecord) => !personFilter || persons!.has(personOf(row) ?? -1n);
        const judged = own.filter(([, row]) => isRight(row)).map(([id]) => id);
        const right = await ordered('contact', where, [byId]);
        expect({ where, ids: [...ids, ...judged].sort((a, b) => (a < b ? -1 : 1)) }).toEqual({ where, ids: right });
        expect(count! + judged.length).toBe(right.length);
        matches += personFilter ? right.length : 0;
      }
      expect(isEnough()).toBe(true);
    }

    it('is exact while either of them changes, with and without indexes of changes', async () => {
      const all: Followed = { person: followed('person'), contact: followed('contact') };
      await compare(all);
      let latest = all;
      for (const [round, entity] of entitiesOfJoin.entries()) {
        for (const [place, each] of entitiesOfJoin.entries()) {
          await change(each, 1 + 2 * round + place, [all[each], latest[each]]);
          await compare(latest);
        }
        const { ids, version: upTo } = all[entity];
        engine.useChanges(await readIndex(client, entity, { bytesMax: unlimited, ids: ids }), [{ ids, upTo }]);
        latest = { ...latest, [entity]: followed(entity) };
        await compare(latest);
      }
      for (const each of entitiesOfJoin) await change(each, 7, [latest[each]]);
      await compare(latest);
      for (const each of entitiesOfJoin) {
        engine.use(await readIndex(client, each, { bytesMax: unlimited }));
        latest = { ...latest, [each]: followed(each) };
        await compare(latest);
      }
    }, 300_000);

    it('has no answer from persons before or after those that the caller knows, nor without them', async () => {
      const { filter, person } = fc.sample(drawnContacts, { seed, numRuns: 50 }).find((each) => each.person)!;
      const version = engine.version('person')!;
      const asking = (rest: object) =>
        engine.search(
          queryOf(filter, {
            person: {
              filter: person!,
              key: canonicalKey(person!),
              since: version,
              upTo: version,
              except: [],
              matching: [],
              asked: [],
              ...rest,
            },
          }),
        );
      expect(await asking({})).toMatchObject({ persons: new Set() });
      expect(await asking({ since: version + 1n, upTo: version + 1n })).toBe('behind');
      expect(await asking({ since: 0n, upTo: version - 1n })).toBe('behind');
      engine.drop('person');
      expect(await asking({})).toBe('not_ready');
    });
  });

  it('refuses columns and orders that it does not hold, and filters of too many values', () => {
    const among = (column: string, values: readonly number[]): NormalisedFilter => ({
      entity: 'company',
      today: '',
      conditions: [{ field: '', op: 'in', column, type: 'bigint', values, isNegated: false }],
    });
    const many = Array.from({ length: 2_001 }, (_, place) => place);
    const byName: SortKey = { column: 'name', type: 'text', direction: 'asc', isNullable: false };
    expect(engine.canAnswer(queryOf(among('country_id', many.slice(1))))).toBe(true);
    expect(engine.canAnswer(queryOf(among('country_id', many)))).toBe(false);
    expect(engine.canAnswer(queryOf(among('no_such_column', [1])))).toBe(false);
    expect(engine.canAnswer(queryOf(among('country_id', [1]), { sort: [byName, byId] }))).toBe(false);
  });

  describe('a build in a thread', () => {
    const order = (rest: Partial<BuildOrder> = {}): BuildOrder => ({
      connection: { connectionString: tables.url },
      entity: 'deal',
      bytesMax: unlimited,
      ...rest,
    });
    const never = new AbortController().signal;

    it('gives the index of one snapshot', async () => {
      await fill('deal');
      const result = await buildIndex(order(), never);
      if (result.outcome !== 'built') throw new Error(JSON.stringify(result));
      const readHere = await readIndex(client, 'deal', { bytesMax: unlimited });
      expect(result.built).toEqual(readHere);
      engine.use(result.built);
      expect(engine.version('deal')).toBe(await versionOf('deal'));
      expect(engine.size('deal').rows).toBe(rowCount);
      const filter: NormalisedFilter = { entity: 'deal', today: '', conditions: [] };
      expect((await answered(queryOf(filter))).count).toBe(rowCount);
    });

    it('ends when it would take too much memory, when the database is away, and when it is told to', async () => {
      expect(await buildIndex(order({ bytesMax: 100_000 }), never)).toMatchObject({ outcome: 'too_large' });
      const away = { connectionString: 'postgres://nobody@127.0.0.1:1/none' };
      expect(await buildIndex(order({ connection: away }), never)).toMatchObject({ outcome: 'failed' });
      const stop = new AbortController();
      const building = buildIndex(order(), stop.signal);
      stop.abort();
      expect(await building).toEqual({ outcome: 'stopped' });
    });

    it('fails when the database hangs, and leaves no connection', async () => {
      const { sql } = tables;
      const blocker = await sql.connect();
      await blocker.query('begin; lock table deal in access exclusive mode');
      const connection = { connectionString: tables.url, application_name: 'a build that hangs' };
      expect(await buildIndex(order({ connection, silenceMsMax: 1_500 }), never)).toEqual({
        outcome: 'failed',
        message: 'the database sent nothing for 1.5 s',
      });
      await blocker.query('rollback');
      blocker.release();
      const count = async () =>
        (await sql.query(`select from pg_stat_activity where application_name = 'a build that hangs'`)).rowCount;
      while ((await count()) !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    });
  });
});

/** Dates as text, as the gateway reads them, and without the words, which the evaluation makes from the texts. */
function dated(row: FilterRecord): FilterRecord {
  const textOf = (value: Date) =>
    [String(value.getFullYear()).padStart(4, '0'), value.getMonth() + 1, value.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !name.endsWith('search'))
      .map(([name, value]) => [name, name.endsWith('_date') && value instanceof Date ? textOf(value) : value]),
  );
}
