// What every engine promises (filter-engine.port.ts), as one suite. The right answer is that of the evaluation in
// memory over the same rows. So PostgreSQL can be tested like the others.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalKey, evaluateFilter, type FilterRecord, integerOf, type NormalisedFilter } from '@tradewind/filters';
import fc from 'fast-check';
import pg from 'pg';
import type { CursorPosition, Entity, FilterAnswer, FilterEngine, FilterQuery, SortKey } from '../src/index.js';
import { ChangedRows, indexedColumns, indexedEntities } from '../src/index.js';
import { firstInOrder } from '../src/row-order.js';
import { drawnContacts, drawnFilter, drawnRecord, drawnSort, drawnUntil } from './drawn-queries.js';
import { createGatewayTables } from './gateway-tables.js';

export interface TestedEngine {
  engine: FilterEngine;
  /** Brings the engine to the current version of the entity, which is passed. */
  refresh(entity: Entity, version: bigint): Promise<void>;
  /** Whether it knows contacts by their addresses and their persons. PostgreSQL has statements of its own for these. */
  joinsPersons: boolean;
  close(): Promise<void>;
}

const cases = Number(process.env['FILTER_ENGINE_CASES'] ?? 60);
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000_000);
const rowCount = 400;
const byId: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** @param start makes the engine over the tables of this address, which are empty */
export function describeEngine(name: string, start: (url: string) => Promise<TestedEngine>): void {
  describe(`${name}, by the contract of engines (FILTER_SEED=${seed})`, () => {
    let tables: Awaited<ReturnType<typeof createGatewayTables>>;
    let tested: TestedEngine;

    beforeAll(async () => {
      tables = await createGatewayTables();
      tested = await start(tables.url);
    }, 600_000);
    afterAll(async () => {
      await tested.close();
      await tables.drop();
    });

    async function insert(entity: Entity, firstId: number, records: readonly FilterRecord[]): Promise<void> {
      const rows = records.map((record, place) => ({ ...record, id: firstId + 2 * place }));
      const columns = Object.keys(rows[0]!).join(', ');
      await tables.sql.query(
        `insert into ${entity} (${columns}) select ${columns} from json_populate_recordset(null::${entity}, $1::json)`,
        [JSON.stringify(rows)],
      );
    }

    async function versionOf(entity: Entity): Promise<bigint> {
      const { rows } = await tables.sql.query<{ version: string }>(
        'select version from data_version where entity = $1',
        [entity],
      );
      return BigInt(rows[0]!.version);
    }

    /** The rows as the evaluation compares them; all unless ids are given. */
    async function rowsOf(entity: Entity, ids?: readonly bigint[]): Promise<[id: bigint, row: FilterRecord][]> {
      const columns = indexedColumns[entity].map(({ column, type, shape, sql = `t.${column}` }) => {
        if (shape === 'words') return `tsvector_to_array(${sql}) as ${column}`;
        return `${sql}${type === 'date' ? '::text' : ''} as ${column}`;
      });
      const { rows } = await tables.sql.query<Record<string, unknown>>(
        `select t.id, ${columns.join(', ')} from ${entity} t where $1::bigint[] is null or t.id = any($1::bigint[])`,
        [ids?.map(String)],
      );
      return rows.map((row) => {
        const record: Record<string, unknown> = { id: integerOf(row['id']) };
        for (const { column, type, shape } of indexedColumns[entity]) {
          const value = row[column];
          if (type !== 'bigint') record[column] = value;
          else record[column] = shape === 'list' ? (value as unknown[]).map(integerOf) : (integerOf(value) ?? null);
        }
        return [BigInt(row['id'] as string), record];
      });
    }

    function queryOf(filter: NormalisedFilter, options: Partial<FilterQuery> = {}): FilterQuery {
      const all = { sort: [byId], after: null, limit: 20, isCounted: true, since: 0n, upTo: 2n ** 62n, except: [] };
      return { filter, key: canonicalKey(filter), ...all, ...options };
    }

    async function answered(query: FilterQuery): Promise<FilterAnswer> {
      expect(tested.engine.canAnswer(query)).toBe(true);
      const answer = await tested.engine.search(query);
      if (typeof answer === 'string') throw new Error(`no answer: ${answer}`);
      return answer;
    }

    function positionOf(row: FilterRecord, id: bigint, sort: readonly SortKey[]): CursorPosition {
      return sort.map(({ column }) => {
        const value = column === 'id' ? id : row[column];
        if (value === null || value === undefined) return null;
        if (value instanceof Date) return value.toISOString();
        return typeof value === 'string' ? value : (value as number | bigint).toString();
      });
    }

    it.each(indexedEntities)(
      'finds, counts, orders and pages every %s, and leaves out what it is told to',
      async (entity) => {
        await insert(entity, 1, fc.sample(drawnRecord(entity), { seed, numRuns: rowCount }));
        const version = await versionOf(entity);
        await tested.refresh(entity, version);
        expect(tested.engine.version(entity)).toBe(version);
        const rows = await rowsOf(entity);
        let matches = 0;
        const isEnough = () => matches > cases;
        const drawn = drawnUntil(fc.tuple(drawnFilter(entity), drawnSort(entity)), { seed, count: cases, isEnough });
        for (const [number, [filter, sort]] of drawn) {
          const except = number % 3 === 0 ? rows.slice(0, 30).map(([id]) => id) : [];
          except.sort((a, b) => (a < b ? -1 : 1));
          const [cursorId, cursorRow] = rows[(number * 37) % rows.length]!;
          const after = number % 2 === 0 ? null : positionOf(cursorRow, cursorId, sort);
          const query = queryOf(filter, { sort, after, except, limit: 1 + (number % 50) });
          const matching = rows.filter(([id, row]) => !except.includes(id) && evaluateFilter(filter, row));
          matches += matching.length;
          const { ids, count, version: answeredVersion } = await answered(query);
          expect({ filter, sort, after, ids, count, answeredVersion }).toEqual({
            filter,
            sort,
            after,
            ids: firstInOrder(matching, query),
            count: matching.length,
            answeredVersion: version,
          });
          const uncounted = await answered({ ...query, isCounted: false });
          expect(uncounted).toEqual({ ids, version });
        }
        expect(isEnough()).toBe(true);
      },
      600_000,
    );

    it('never answers from a version before the one that the caller saw, nor after the one that it knows', async () => {
      await tables.sql.query(`insert into company (id, name) values (100001, 'Company')`);
      const version = await versionOf('company');
      await tested.refresh('company', version);
      const everything = queryOf({ entity: 'company', today: '2026-11-24', conditions: [] });
      expect((await answered({ ...everything, since: version, upTo: version })).version).toBe(version);
      expect(await tested.engine.search({ ...everything, since: version + 1n })).toBe('behind');
      expect(await tested.engine.search({ ...everything, since: 0n, upTo: version - 1n })).toBe('behind');
    }, 600_000);

    it('answers many queries at once as it answers one', async () => {
      await tested.refresh('person', await versionOf('person'));
      const filters = fc.sample(drawnFilter('person'), { seed: seed + 1, numRuns: 30 });
      const alone: FilterAnswer[] = [];
      for (const filter of filters) alone.push(await answered(queryOf(filter)));
      expect(await Promise.all(filters.map((filter) => answered(queryOf(filter))))).toEqual(alone);
    }, 600_000);

    describe('about contacts by their addresses and their persons', () => {
      type Followed = Record<'contact' | 'person', ChangedRows>;
      const both = ['contact', 'person'] as const;

      const followed = (entity: Entity) => new ChangedRows(tested.engine.version(entity)!);

      /** As the gateway follows them. */
      async function follow(entity: Entity, changed: ChangedRows): Promise<void> {
        const { rows } = await tables.sql.query<{ id: string }>(
          'select distinct unnest(ids)::text as id from data_change where entity = $1 and version > $2',
          [entity, String(changed.version)],
        );
        const ids = rows.map(({ id }) => BigInt(id));
        const version = await versionOf(entity);
        const now = new Map(await rowsOf(entity, ids));
        changed.apply(
          version,
          ids.map((id) => [id, now.get(id) ?? null]),
        );
      }

      async function compare({ contact, person }: Followed): Promise<void> {
        const masked = ({ since, version: upTo, ids: except }: ChangedRows) => ({ since, upTo, except });
        const personOf = (row: FilterRecord) => (row['person_id'] === null ? null : BigInt(row['person_id'] as number));
        let matches = 0;
        const isEnough = () => matches > cases;
        const drawn = drawnUntil(drawnContacts, { seed, count: cases, isEnough });
        for (const [, { filter, person: ofPerson, where }] of drawn) {
          const own = contact.rowsOf(contact.matching(filter) as bigint[]);
          const query = queryOf(filter, {
            ...masked(contact),
            limit: 5_000,
            ...(ofPerson && {
              person: {
                filter: ofPerson,
                key: canonicalKey(ofPerson),
                ...masked(person),
                matching: person.matching(ofPerson) as bigint[],
                asked: own.map(([, row]) => personOf(row)).filter((id) => id !== null),
              },
            }),
          });
          const { ids, count, persons } = await answered(query);
          const judged = own.filter(([, row]) => !ofPerson || persons!.has(personOf(row) ?? -1n)).map(([id]) => id);
          const { rows } = await tables.sql.query<{ ids: string[] }>(
            `select array(select t.id::text from contact t where ${where.sql} order by t.id) as ids`,
            where.params,
          );
          const right = rows[0]!.ids.map(BigInt);
          const found = [...ids, ...judged].sort((a, b) => (a < b ? -1 : 1));
          expect({ where, found, count: count! + judged.length }).toEqual({ where, found: right, count: right.length });
          if (ofPerson) matches += right.length;
        }
        expect(isEnough()).toBe(true);
      }

      async function change(round: number): Promise<void> {
        for (const entity of both) {
          await insert(
            entity,
            5_000 + 1_000 * round,
            fc.sample(drawnRecord(entity), { seed: seed + round, numRuns: 40 }),
          );
          await tables.sql.query(`delete from ${entity} where id % 23 = $1`, [round]);
        }
        // Persons with other values, and contacts with another person or none.
        await tables.sql.query(
          `update person set gender = case gender when 'MALE' then 'FEMALE' else 'MALE' end,
             birth_date = null, skill_ids = '{}', name = 'Ann Lee' where id % 11 = $1`,
          [round],
        );
        await tables.sql.query('update contact set person_id = nullif(id % 9, 0) + $1 where id % 13 = $1', [round]);
      }

      async function refreshed(entity: Entity): Promise<ChangedRows> {
        await tested.refresh(entity, await versionOf(entity));
        return followed(entity);
      }

      it('is exact while either of them changes, and when it has the changes of one or of both', async () => {
        if (!tested.joinsPersons) {
          const { filter, person } = fc.sample(drawnContacts, { seed, numRuns: 50 }).find((each) => each.person)!;
          expect(tested.engine.canAnswer({ ...queryOf(filter), person: { filter: person! } })).toBe(false);
          return;
        }
        let all: Followed = { contact: await refreshed('contact'), person: await refreshed('person') };
        await compare(all);
        for (const [round, entity] of both.entries()) {
          await change(round + 1);
          for (const each of both) await follow(each, all[each]);
          await compare(all);
          all = { ...all, [entity]: await refreshed(entity) };
          await compare(all);
        }
        all = { contact: await refreshed('contact'), person: await refreshed('person') };
        await compare(all);
      }, 600_000);
    });

    it('does not know orders by columns that pages are not sorted by', () => {
      const byUrl: SortKey = { column: 'website_url', type: 'text', direction: 'asc', isNullable: true };
      const filter: NormalisedFilter = { entity: 'company', today: '2026-11-24', conditions: [] };
      expect(tested.engine.canAnswer(queryOf(filter, { sort: [byUrl, byId] }))).toBe(false);
    });
  });
}

/** One connection to the tables, for the engines of the tests. */
export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
