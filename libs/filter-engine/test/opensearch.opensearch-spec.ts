// The engine and the feeder of OpenSearch, on a real one and on the gateway's real tables, while rows are written and
// things fail. The answers are compared with PostgreSQL. OPENSEARCH_SEED repeats a run that failed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@opensearch-project/opensearch';
import { canonicalKey, compileFilter, type FilterEntity, NameDictionary, parseFilters } from '@tradewind/filters';
import {
  type EmbeddedOpenSearch,
  freePort,
  installOpenSearch,
  Relay,
  startEmbeddedOpenSearch,
} from '@tradewind/testkit';
import fc from 'fast-check';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  ChangedRows,
  type CursorPosition,
  type Entity,
  type FilterAnswer,
  type FilterQuery,
  type FollowEvent,
  type SortKey,
  type Unanswered,
} from '../src/index.js';
import { Feeder } from '../src/opensearch/feeder.js';
import { OpenSearchEngine } from '../src/opensearch/opensearch-engine.js';
import { markDocument, markId, marksPerShard } from '../src/opensearch/search-index.js';
import { SearchIndexWriter } from '../src/opensearch/search-index-writer.js';
import { createGatewayTables, type GatewayTables } from './gateway-tables.js';

installOpenSearch();

const seed = Number(process.env['OPENSEARCH_SEED'] ?? Date.now() % 1_000_000_000);
const names = NameDictionary.of({ cities: [], skills: [], languages: [] });
const today = '2026-11-23';
const unlimited = new AbortController().signal;
const idKey: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

const insertCompanies = `insert into company (id, name, description, country_id, industry_id, number_of_employees, revenue_amount, region_ids)
  select id, 'Company ' || id, (array['solar power', 'wind', 'solar', null])[1 + id % 4],
    (array[1372, 1756, null])[1 + id % 3], 1 + id % 5, nullif(id % 7, 0) * 100, id % 1000, array[1 + id % 4]
  from generate_series($1::bigint, $2::bigint) id`;

const insertDeals = `insert into deal (id, title, announced_date, total_value_amount, type)
  select id, 'Title ' || (id * 7919) % 50, case when id % 5 > 0 then date '2026-01-01' + (id % 40)::integer end,
    nullif(id % 11, 0), (array['MEDIA', 'SPONSORSHIP'])[1 + id % 2]
  from generate_series(1, 500) id`;

const companyFilter = fc.record(
  {
    keywords: fc.constantFrom({ values: ['solar'] }, { values: ['solar', 'wind'], comparison: 'IS_NOT_ANY_OF' }),
    country: fc.constantFrom({ values: [1372] }, { values: [1756], comparison: 'IS_NOT_ANY_OF' }),
    numberOfEmployees: fc.constantFrom({ values: [300], comparison: 'MORE_THAN' }, { values: [100, 200] }),
    revenue: fc.constantFrom({ values: [10, 500], comparison: 'BETWEEN' }),
    region: fc.constantFrom({ values: [1, 2] }, { values: [3], comparison: 'IS_NOT_ANY_OF' }),
  },
  { requiredKeys: [] },
);

describe(`OpenSearch (OPENSEARCH_SEED=${seed})`, () => {
  let dataDir: string;
  let port: number;
  let node: EmbeddedOpenSearch;
  let relay: Relay;
  let client: Client;
  let tables: GatewayTables;
  let db: pg.Client;
  let prefix: string;
  let engine: OpenSearchEngine;
  let tests = 0;

  const startNode = () => startEmbeddedOpenSearch({ dataDir, port });
  const feederOf = (entity: Entity, shards = 1) => new Feeder({ db, client, prefix, entity, shards, replicas: 0 });

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tradewind-opensearch-data-'));
    chmodSync(dataDir, 0o755);
    port = await freePort();
    node = await startNode();
    relay = await Relay.to(new URL(node.url));
    client = new Client({ node: `http://127.0.0.1:${relay.port}`, maxRetries: 0, enableLongNumeralSupport: true });
  }, 600_000);
  afterAll(async () => {
    await client.close();
    relay.close();
    await node.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    tables = await createGatewayTables();
    db = new pg.Client({ connectionString: tables.url });
    await db.connect();
    prefix = `test${(tests += 1)}`;
    // Far more than a search takes on a busy machine.
    engine = new OpenSearchEngine({
      client,
      prefix,
      timeoutMs: 60_000,
      pollTimeoutMs: 60_000,
      sortsTextsByBytes: () => true,
    });
  });
  afterEach(async () => {
    await db.end();
    await tables.drop();
    await client.indices.delete({ index: `${prefix}-*` });
  });

  function queryOf(
    filter: Record<string, unknown>,
    options: Partial<FilterQuery> & { entity?: FilterEntity } = {},
  ): FilterQuery {
    const { entity = 'company', ...rest } = options;
    const parsed = parseFilters(entity, filter, { today, names });
    return {
      filter: parsed,
      key: canonicalKey(parsed),
      sort: [idKey],
      after: null,
      limit: 20,
      isCounted: true,
      since: 0n,
      upTo: 2n ** 62n,
      except: [],
      ...rest,
    };
  }

  async function expected({ filter, limit }: FilterQuery, order = 't.id') {
    const { sql, params } = compileFilter(filter);
    const { rows } = await tables.sql.query<{ ids: string[] }>(
      `select array(select t.id::text from ${filter.entity} t where ${sql} order by ${order}) as ids`,
      params,
    );
    const ids = rows[0]!.ids.map(BigInt);
    return { ids: ids.slice(0, limit), count: ids.length };
  }

  function answered(answer: FilterAnswer | Unanswered): FilterAnswer {
    if (typeof answer === 'string') throw new Error(`no answer: ${answer}`);
    return answer;
  }

  /** A search shows a write a second later at most. */
  async function untilSeen(version: bigint): Promise<void> {
    for (const endMs = performance.now() + 180_000; performance.now() < endMs;) {
      await engine.poll('company').catch(() => undefined);
      const answer = await engine.search(queryOf({}, { since: version, isCounted: false }));
      if (typeof answer !== 'string') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no search saw version ${version}`);
  }

  const versionNow = async () =>
    BigInt(
      (await tables.sql.query<{ version: string }>(`select version from data_version where entity = 'company'`))
        .rows[0]!.version,
    );

  it('answers as PostgreSQL does after a build, on one shard and on several, and after changes', async () => {
    await tables.sql.query(insertCompanies, [1, 3000]);
    expect(await feederOf('company', 3).build(unlimited)).toBe(true);
    await engine.poll('company');
    const filters = fc.sample(companyFilter, { seed, numRuns: 60 });
    for (const filter of filters) {
      const query = queryOf(filter);
      const { ids, count } = answered(await engine.search(query));
      expect({ filter, ids, count }).toEqual({ filter, ...(await expected(query)) });
    }
    await tables.sql.query(`update company set country_id = 1756 where id % 10 = 0`);
    await tables.sql.query(`delete from company where id % 13 = 0`);
    await tables.sql.query(insertCompanies, [9007199254740991n, 9007199254740999n]);
    const fed = await feederOf('company').pass();
    expect(fed).toEqual({ outcome: 'fed', version: await versionNow(), records: expect.any(Number), hasMore: false });
    await untilSeen(await versionNow());
    for (const filter of filters) {
      const after: CursorPosition = ['9007199254740992'];
      const query = queryOf(filter, { limit: 5000 });
      const { ids, count } = answered(await engine.search(query));
      const right = await expected(query);
      expect({ filter, ids, count }).toEqual({ filter, ...right });
      const large = answered(await engine.search({ ...query, after }));
      expect(large.ids).toEqual(right.ids.filter((id) => id > 9007199254740992n));
    }
  }, 600_000);

  it('leaves out what the caller masks, so an answer is exact before the change is fed', async () => {
    await tables.sql.query(insertCompanies, [1, 500]);
    await feederOf('company').build(unlimited);
    await engine.poll('company');
    const changed = new ChangedRows(await versionNow());
    await tables.sql.query(`update company set country_id = 1372 where id between 100 and 120`);
    await tables.sql.query(`delete from company where id = 3`);
    const { rows } = await tables.sql.query<{ id: string; country_id: string }>(
      'select id, country_id from company where id between 100 and 120',
    );
    changed.apply(await versionNow(), [[3n, null], ...rows.map((row): [bigint, typeof row] => [BigInt(row.id), row])]);
    const query = queryOf({ country: { values: [1372] } }, { since: changed.since, except: changed.ids, limit: 500 });
    const { ids, count } = answered(await engine.search(query));
    const matching = changed.matching(query.filter) as bigint[];
    const right = await expected(query);
    expect([...ids, ...matching].sort((a, b) => (a < b ? -1 : 1))).toEqual(right.ids);
    expect(count! + matching.length).toBe(right.count);
    // What the engine does not have yet, it does not pretend to have.
    expect(await engine.search({ ...query, since: changed.version, except: [] })).toBe('behind');
  }, 600_000);

  it('is behind about contacts by their person while the documents of contacts lack changes of persons', async () => {
    await tables.sql.query(`insert into person (id, name) select id, 'Person' from generate_series(1, 20) id`);
    await tables.sql.query(
      `insert into contact (id, name, person_id) select id, 'Contact', id from generate_series(1, 30) id`,
    );
    const feeders = { person: feederOf('person'), contact: feederOf('contact') };
    for (const entity of ['person', 'contact'] as const) {
      await feeders[entity].build(unlimited);
      await engine.poll(entity);
    }
    const before = engine.version('person')!;
    await tables.sql.query(`update person set name = 'Other' where id <= 5`);
    const now = before + 1n;
    const filter = parseFilters('person', { name: [{ values: ['Person'] }] }, { today, names });
    const person = { filter, key: '', matching: [], asked: [] };
    const everybody = queryOf({}, {});
    const contacts = { ...everybody, filter: { entity: 'contact', today, conditions: [] } } as FilterQuery;
    const countOf = async (rest: { since: bigint; upTo: bigint; except: readonly bigint[] }) => {
      const answer = await engine.search({ ...contacts, person: { ...person, ...rest } });
      return typeof answer === 'string' ? answer : answer.count;
    };
    const changed = [1n, 2n, 3n, 4n, 5n];
    expect(await countOf({ since: before, upTo: now, except: changed })).toBe(15);
    expect(await countOf({ since: now, upTo: now, except: [] })).toBe('behind');
    // Nor does it answer with a change that the caller does not know.
    await feeders.contact.pass();
    await client.indices.refresh({ index: `${prefix}-contact` });
    expect(await countOf({ since: before, upTo: before, except: [] })).toBe('behind');
    expect(await countOf({ since: now, upTo: now, except: [] })).toBe(15);
    // Contacts without such a filter do not depend on it.
    expect(answered(await engine.search({ ...contacts, since: 0n })).count).toBe(30);
  }, 600_000);

  it('pages through every order of deals: nulls last, equal values by id, texts by their bytes', async () => {
    await tables.sql.query(insertDeals);
    await feederOf('deal', 2).build(unlimited);
    await engine.poll('deal');
    const key = (
      column: string,
      type: SortKey['type'],
      direction: SortKey['direction'],
      isNullable = true,
    ): SortKey => ({
      column,
      type,
      direction,
      isNullable,
    });
    const orders = (['asc', 'desc'] as const).flatMap((direction) => [
      [key('announced_date', 'date', direction)],
      [key('total_value_amount', 'bigint', direction), key('announced_date', 'date', 'desc')],
      [key('title', 'text', direction, false)],
    ]);
    for (const keys of orders) {
      const sort = [...keys, idKey];
      const sql = sort.map(({ column, direction }) => `t.${column} ${direction} nulls last`).join(', ');
      const query = queryOf({ type: { values: ['MEDIA'] } }, { entity: 'deal', sort, limit: 37 });
      const right = await expected({ ...query, limit: 1000 }, sql);
      const paged: bigint[] = [];
      for (let after: CursorPosition | null = null; paged.length < right.ids.length;) {
        const { ids, count } = answered(await engine.search({ ...query, after }));
        expect(count).toBe(right.count);
        if (ids.length === 0) break;
        paged.push(...ids);
        const columns = sort.map(({ column }) => `${column}::text`).join(', ');
        const { rows } = await tables.sql.query<string[]>({
          text: `select ${columns} from deal where id = $1`,
          values: [String(ids.at(-1))],
          rowMode: 'array',
        });
        after = rows[0]!;
      }
      expect(paged).toEqual(right.ids);
    }
  }, 600_000);

  it('pages from the last id, where ids are larger than 2^53 and lie in two heaps, and counts what is left out', async () => {
    await tables.sql.query(insertCompanies, [1, 400]);
    await tables.sql.query(insertCompanies, [9007199254740991n, 9007199254741090n]);
    await feederOf('company', 2).build(unlimited);
    await engine.poll('company');
    const lastFirst = [{ ...idKey, direction: 'desc' as const }];
    for (const country of [{ values: [1372] }, { values: [1372], comparison: 'IS_NOT_ANY_OF' }]) {
      const query = queryOf({ country }, { sort: lastFirst, limit: 60 });
      const right = await expected({ ...query, limit: 1000 }, 't.id desc');
      const paged: bigint[] = [];
      for (let after: CursorPosition | null = null; paged.length < right.ids.length; after = [String(paged.at(-1))]) {
        const { ids, count } = answered(await engine.search({ ...query, after }));
        expect(count).toBe(right.count);
        if (ids.length === 0) break;
        paged.push(...ids);
      }
      expect(paged).toEqual(right.ids);
    }
  }, 600_000);

  it('refuses more clauses than the cluster takes, and orders that it does not know', () => {
    const phrases = Array.from({ length: 500 }, (_, place) => `a${place} b${place}`);
    expect(engine.canAnswer(queryOf({ keywords: { values: phrases.slice(0, 400) } }))).toBe(true);
    expect(engine.canAnswer(queryOf({ keywords: { values: phrases } }))).toBe(false);
    const byName: SortKey = { column: 'name', type: 'text', direction: 'asc', isNullable: false };
    expect(engine.canAnswer(queryOf({}, { sort: [byName, idKey] }))).toBe(false);
  });

  describe('when something fails', () => {
    beforeEach(async () => {
      await tables.sql.query(insertCompanies, [1, 300]);
      await feederOf('company').build(unlimited);
      await engine.poll('company');
    });

    const count = async () => answered(await engine.search(queryOf({}))).count;

    it('a cluster that hangs is away after a poll without an answer, then at once, until a poll finds it', async () => {
      const patient = new OpenSearchEngine({
        client,
        prefix,
        timeoutMs: 5_000,
        pollTimeoutMs: 5_000,
        sortsTextsByBytes: () => true,
      });
      await patient.poll('company');
      relay.hang();
      expect(await patient.search(queryOf({}))).toBe('too_costly');
      await expect(patient.poll('company')).rejects.toThrow();
      const startMs = performance.now();
      expect(await patient.search(queryOf({}))).toBe('away');
      expect(performance.now() - startMs).toBeLessThan(2_500);
      relay.resume();
      await patient.poll('company');
      expect(answered(await patient.search(queryOf({}))).count).toBe(300);
    }, 600_000);

    it('an index that is lost is not ready, needs a build, and is not made again by a late write', async () => {
      const { body } = await client.indices.getAlias({ name: `${prefix}-company` });
      const [index] = Object.keys(body);
      const writer = await SearchIndexWriter.open(client, index!, 'company');
      await client.indices.delete({ index: index! });
      expect(await engine.search(queryOf({}))).toBe('not_ready');
      await engine.poll('company');
      expect(engine.version('company')).toBeUndefined();
      await expect(writer.mark('to', [1n])).rejects.toThrow();
      expect(await feederOf('company').pass()).toEqual({ outcome: 'build_needed' });
      await feederOf('company').build(unlimited);
      await engine.poll('company');
      expect(await count()).toBe(300);
    }, 600_000);

    it.each(['from', 'to'] as const)(
      'without the mark `%s` nothing is answered',
      async (kind) => {
        const id = markId('company', { kind, source: 'company', routing: '0' });
        await client.delete({ index: `${prefix}-company`, id, routing: '0', refresh: true });
        expect(await engine.search(queryOf({}))).toBe('not_ready');
        await engine.poll('company');
        expect(engine.version('company')).toBeUndefined();
      },
      60_000,
    );

    it('an index of documents that are made in another way is not ready, and whoever follows builds another', async () => {
      const alias = `${prefix}-company`;
      const before = Object.keys((await client.indices.getAlias({ name: alias })).body)[0]!;
      // The marks name the schema, and those of another one have other ids.
      for (const kind of ['from', 'to'] as const) {
        const mark = { kind, source: 'company', routing: '0' } as const;
        const { id, ...rest } = JSON.parse(markDocument('company', mark, await versionNow())) as { id: number };
        // One further in the part of the id that is the schema's.
        const body = { ...rest, id: id - marksPerShard('company'), schema: 'other' };
        const where = { index: alias, routing: '0' };
        await client.delete({ ...where, id: markId('company', mark) });
        await client.index({ ...where, id: `${kind}-company-other-0`, refresh: true, body });
      }
      expect(await engine.search(queryOf({}))).toBe('not_ready');
      const stop = new AbortController();
      const following = feederOf('company').follow(stop.signal, { intervalMs: 20 });
      await untilSeen(await versionNow());
      stop.abort();
      await following;
      expect(Object.keys((await client.indices.getAlias({ name: alias })).body)).not.toContain(before);
      expect(await count()).toBe(300);
    }, 600_000);

    it('a feeder that is killed between the records and the mark leaves a right index, and the next one goes on', async () => {
      await tables.sql.query(`update company set country_id = 1756`);
      const { body } = await client.indices.getAlias({ name: `${prefix}-company` });
      const writer = await SearchIndexWriter.open(client, Object.keys(body)[0]!, 'company');
      const before = (await versionNow()) - 1n;
      await writer.mark('to', [await versionNow()]);
      await writer.write([{ id: '7', document: null }], [await versionNow()]);
      await client.indices.refresh({ index: `${prefix}-company` });
      const ids = Array.from({ length: 300 }, (_, place) => BigInt(place + 1));
      const masked = answered(await engine.search(queryOf({}, { since: before, except: ids })));
      expect({ ids: masked.ids, count: masked.count, version: masked.version }).toEqual({
        ids: [],
        count: 0,
        version: before,
      });
      // The record that was deleted by mistake is in the list of changes, too.
      await feederOf('company').pass();
      await untilSeen(await versionNow());
      expect(await count()).toBe(300);
    }, 600_000);

    it('a write that is refused, as on a full disk, is repeated, and nothing is skipped', async () => {
      await client.indices.putSettings({ index: `${prefix}-company`, body: { 'index.blocks.write': true } });
      await tables.sql.query(insertCompanies, [301, 320]);
      await expect(feederOf('company').pass()).rejects.toThrow('refused');
      expect(await engine.search(queryOf({}, { since: await versionNow() }))).toBe('behind');
      await client.indices.putSettings({ index: `${prefix}-company`, body: { 'index.blocks.write': false } });
      await feederOf('company').pass();
      await untilSeen(await versionNow());
      expect(await count()).toBe(320);
    }, 600_000);

    it('changes that nobody listed need a build, and answers stay those of the old version until then', async () => {
      await tables.sql.query('truncate company');
      expect(await feederOf('company').pass()).toEqual({ outcome: 'build_needed' });
      expect(await engine.search(queryOf({}, { since: await versionNow() }))).toBe('behind');
      await feederOf('company').build(unlimited);
      await engine.poll('company');
      expect(answered(await engine.search(queryOf({}, { since: await versionNow() }))).count).toBe(0);
    }, 600_000);

    it('a comparison finds and repairs what is missing, too much, or different, whatever is written meanwhile', async () => {
      const { body } = await client.indices.getAlias({ name: `${prefix}-company` });
      const index = Object.keys(body)[0]!;
      const version = Number(await versionNow());
      const write = (id: string, document: object) =>
        client.index({ index, id, version, version_type: 'external_gte', body: document });
      await client.delete({ index, id: '20' });
      await write('30', { id: 30, country_id: '1', digest: '5' });
      await write('5000', { id: 5000, country_id: '1', digest: '5' });
      await tables.sql.query('update company set country_id = 1756 where id = 40');
      const { compared, wrongIds } = await feederOf('company').check(undefined, unlimited);
      expect({ compared, wrongIds: [...wrongIds].sort() }).toEqual({ compared: 300, wrongIds: ['20', '30', '5000'] });
      expect(await feederOf('company').check(undefined, unlimited)).toEqual({ compared: 300, wrongIds: [] });
      await untilSeen(await versionNow());
      for (const filter of [{}, { country: { values: [1756] } }]) {
        const query = queryOf(filter);
        const { ids, count: found } = answered(await engine.search(query));
        expect({ ids, count: found }).toEqual(await expected(query));
      }
    }, 600_000);

    it('one process writes at a time', async () => {
      const other = new pg.Client({ connectionString: tables.url });
      await other.connect();
      await other.query(`select pg_advisory_lock(717201, hashtext('company'))`);
      expect(await feederOf('company').pass()).toEqual({ outcome: 'busy' });
      await other.end();
    });

    it('a cluster that starts empty is built again by whoever follows, and gives no wrong answer meanwhile', async () => {
      const stop = new AbortController();
      const following = (async () => {
        // As the command does: every fault ends a feeder, and another one goes on.
        while (!stop.signal.aborted)
          await feederOf('company')
            .follow(stop.signal, { intervalMs: 20 })
            .catch(() => delay(100));
      })();
      const wrong: unknown[] = [];
      const heard = new Set<string>();
      const asking = (async () => {
        while (!stop.signal.aborted) {
          await engine.poll('company').catch(() => undefined);
          const answer = await engine.search(queryOf({}));
          if (typeof answer === 'string') heard.add(answer);
          else if (answer.count !== 300 || answer.ids.length !== 20) wrong.push(answer);
          await delay(10);
        }
      })();
      await node.stop();
      for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
      node = await startNode();
      await untilSeen(await versionNow());
      stop.abort();
      await Promise.all([following, asking]);
      expect(wrong).toEqual([]);
      expect([...heard].sort()).toEqual(['away', 'not_ready']);
      expect(await count()).toBe(300);
    }, 600_000);

    it('a node that is killed loses nothing that was fed, and is away meanwhile', async () => {
      await tables.sql.query(insertCompanies, [301, 310]);
      await feederOf('company').pass();
      await node.stop();
      expect(await engine.search(queryOf({}))).toBe('away');
      await expect(engine.poll('company')).rejects.toThrow();
      await expect(feederOf('company').pass()).rejects.toThrow();
      node = await startNode();
      await untilSeen(await versionNow());
      expect(await count()).toBe(310);
    }, 600_000);
  });

  it('is built and fed by whoever follows the changes', async () => {
    await tables.sql.query(insertCompanies, [1, 100]);
    const stop = new AbortController();
    const following = feederOf('company').follow(stop.signal, { intervalMs: 20 });
    for (let first = 101; first < 400; first += 100) {
      await tables.sql.query(insertCompanies, [first, first + 99]);
      await untilSeen(await versionNow());
      expect(answered(await engine.search(queryOf({}))).count).toBe(first + 99);
    }
    stop.abort();
    await following;
  }, 600_000);

  it('takes a statement that writes very many records in parts, into the index that is there', async () => {
    await tables.sql.query(insertCompanies, [1, 100]);
    await feederOf('company').build(unlimited);
    await engine.poll('company');
    const indexInUse = async () => Object.keys((await client.indices.getAlias({ name: `${prefix}-company` })).body);
    const before = await indexInUse();
    await tables.sql.query(insertCompanies, [101, 25_000]);
    await tables.sql.query('delete from company where id > 13000');
    let records = 0;
    for (let hasMore = true; hasMore;) {
      const pass = await feederOf('company').pass();
      if (pass.outcome !== 'fed') throw new Error(pass.outcome);
      ({ hasMore } = pass);
      records += pass.records;
    }
    expect(records).toBe(24_900 + 12_000);
    expect(await indexInUse()).toEqual(before);
    await untilSeen(await versionNow());
    const query = queryOf({ country: { values: [1372] } });
    const { ids, count } = answered(await engine.search(query));
    expect({ ids, count }).toEqual(await expected(query));
  }, 600_000);

  it('sorts texts by their bytes, whatever they are written in, and refuses a page with one that is cut', async () => {
    // By the units of UTF-16 the second one would come before the first.
    const titles = [
      '\uff5e tilde',
      '👩 woman',
      'Zoë',
      'zoe',
      'É',
      'e\u0301',
      'a',
      'A',
      ' a',
      'ß',
      '漢',
      'a'.repeat(7_999),
    ];
    const inserted = await tables.sql.query<{ id: string }>(
      'insert into deal (id, title) select place, title from unnest($1::text[]) with ordinality as t (title, place) returning id',
      [titles],
    );
    expect(inserted.rowCount).toBe(titles.length);
    await feederOf('deal').build(unlimited);
    await engine.poll('deal');
    for (const direction of ['asc', 'desc'] as const) {
      const byTitle: SortKey = { column: 'title', type: 'text', direction, isNullable: false };
      const query = queryOf({}, { entity: 'deal', sort: [byTitle, idKey] });
      const { ids } = answered(await engine.search(query));
      expect(ids).toEqual((await expected(query, `t.title collate "C" ${direction}, t.id`)).ids);
    }
    await tables.sql.query(`insert into deal (id, title) values (100, repeat('a', 8001))`);
    const last = await tables.sql.query<{ version: string }>(`select version from data_version where entity = 'deal'`);
    await feederOf('deal').pass();
    await client.indices.refresh({ index: `${prefix}-deal` });
    const byTitle: SortKey = { column: 'title', type: 'text', direction: 'asc', isNullable: false };
    const query = queryOf({}, { entity: 'deal', sort: [byTitle, idKey], since: BigInt(last.rows[0]!.version) });
    expect(await engine.search(query)).toBe('behind');
  }, 600_000);

  it('is up to date again and again while records are written without a pause', async () => {
    await tables.sql.query(insertCompanies, [1, 10]);
    await feederOf('company').build(unlimited);
    const stop = new AbortController();
    const writing = (async () => {
      for (let id = 1000; !stop.signal.aborted; id++) await tables.sql.query(insertCompanies, [id, id]);
    })();
    let times = 0;
    const onEvent = (event: FollowEvent) => {
      if (event === 'up_to_date' && (times += 1) === 5) stop.abort();
    };
    await feederOf('company').follow(stop.signal, { intervalMs: 20, onEvent });
    await writing;
    expect(times).toBe(5);
  }, 60_000);

  it('names its own indexes in every request, because its user has rights for no others', async () => {
    const paths = new Set<string>();
    const note = (_: unknown, { meta }: { meta: { request: { params: { path: string } } } }) =>
      void paths.add(meta.request.params.path);
    client.on('request', note);
    await tables.sql.query(insertCompanies, [1, 20]);
    await feederOf('company').build(unlimited);
    await feederOf('company').build(unlimited);
    await tables.sql.query(insertCompanies, [21, 30]);
    await feederOf('company').pass();
    await feederOf('company').check(undefined, unlimited);
    client.off('request', note);
    expect([...paths].filter((path) => path.includes('_alias'))).toContain(
      `/${prefix}-company-*/_alias/${prefix}-company`,
    );
    const others = [...paths].filter((path) => !path.startsWith(`/${prefix}-`));
    // The body of these names the index.
    expect(others).toEqual(['/_aliases']);
  }, 600_000);

  it('a build drops what an earlier one left, and no index of a prefix that begins alike', async () => {
    const left = `${prefix}-company-20260101000000000`;
    const alike = `${prefix}-company-deal-20260101000000000`;
    for (const index of [left, alike]) await client.indices.create({ index });
    await feederOf('company').build(unlimited);
    const { body } = await client.indices.get({ index: `${prefix}-company-*` });
    expect(Object.keys(body).sort()).toEqual([expect.stringMatching(/-company-\d{17}$/), alike]);
  }, 60_000);

  it('a build that ended early goes on where it was, with the changes since', async () => {
    await tables.sql.query(insertCompanies, [1, 12_000]);
    const stop = new AbortController();
    expect(await feederOf('company').build(stop.signal, () => stop.abort())).toBe(false);
    await tables.sql.query(`delete from company where id in (5, 11000)`);
    await tables.sql.query(`update company set country_id = 1372 where id between 1 and 50`);
    const progress: number[] = [];
    expect(await feederOf('company').build(unlimited, ({ records }) => progress.push(records))).toBe(true);
    // The first 5,000 were there already.
    expect(progress).toEqual([10_000, 11_999]);
    await engine.poll('company');
    const query = queryOf({ country: { values: [1372] } });
    const { ids, count } = answered(await engine.search(query));
    expect({ ids, count }).toEqual(await expected(query));
  }, 600_000);
});
