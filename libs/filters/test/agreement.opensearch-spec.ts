// The compiled OpenSearch query, the compiled SQL and the evaluation in memory agree, on the gateway's real tables and
// on documents that PostgreSQL makes of them. OPENSEARCH_FILTERS (default 600) sets how many filters are compared, each
// on 250 records; FILTER_SEED repeats a run that failed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedOpenSearch, installOpenSearch, startEmbeddedOpenSearch } from '@tradewind/testkit';
import fc from 'fast-check';
import {
  clauseCount,
  compileFilter,
  evaluateFilter,
  type FilterEntity,
  type FilterRecord,
  type NormalisedFilter,
  parseFilters,
  searchDocumentSql,
  searchFields,
  searchMapping,
  searchQuery,
} from '../src/index.js';
import { filterOf, names, recordOf, today } from './arbitraries.js';
import { createGatewayDatabase, type GatewayDatabase } from './gateway-tables.js';

const filtersWanted = Number(process.env['OPENSEARCH_FILTERS'] ?? 600);
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000_000);
const recordsPerRound = 250;
const filtersPerRound = 200;
const filtersPerStatement = 40;
const entities: readonly FilterEntity[] = ['company', 'person', 'deal'];

installOpenSearch();

describe(`OpenSearch, SQL and evaluation in memory (FILTER_SEED=${seed})`, () => {
  let database: GatewayDatabase;
  let openSearch: EmbeddedOpenSearch;

  beforeAll(async () => {
    [database, openSearch] = await Promise.all([createGatewayDatabase(), startEmbeddedOpenSearch()]);
    // A node may take minutes to start beside other tests.
  }, 900_000);
  afterAll(async () => {
    await openSearch.stop();
    await database.drop();
  });

  async function call<Answer>(method: string, path: string, body: object | string): Promise<Answer> {
    const response = await fetch(`${openSearch.url}/${path}`, {
      method,
      headers: { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async function store(entity: FilterEntity, records: readonly FilterRecord[]): Promise<void> {
    await database.store(entity, records);
    const { rows } = await database.client.query<{ id: string; document: string }>(
      `select t.id, ${searchDocumentSql(searchFields(entity))} as document from ${entity} t`,
    );
    const lines = rows.map(({ id, document }) => `{"index":{"_id":"${id}"}}\n${document}\n`);
    const { errors } = await call<{ errors: boolean }>('POST', `${entity}/_bulk?refresh=true`, lines.join(''));
    expect(errors).toBe(false);
  }

  async function select(index: string, queries: readonly object[]): Promise<number[][]> {
    const lines = queries.map((query) => {
      const search = { query, size: recordsPerRound, sort: ['id'], _source: false };
      return `{"index":"${index}"}\n${JSON.stringify(search)}\n`;
    });
    const { responses } = await call<{ responses: { error?: unknown; hits: { hits: { sort: [number] }[] } }[] }>(
      'POST',
      '_msearch',
      lines.join(''),
    );
    return responses.map(({ error, hits }) => {
      if (error) throw new Error(JSON.stringify(error));
      return hits.hits.map(({ sort }) => sort[0]);
    });
  }

  async function selectBySql(entity: FilterEntity, filters: readonly NormalisedFilter[]): Promise<number[][]> {
    const found: number[][] = [];
    for (let start = 0; start < filters.length; start += filtersPerStatement) {
      const params: unknown[] = [];
      const parts = filters.slice(start, start + filtersPerStatement).map((filter, index) => {
        const compiled = compileFilter(filter, { firstParameter: params.length + 1 });
        params.push(...compiled.params);
        return `select ${index} as n, array(select t.id::int from ${entity} t where ${compiled.sql} order by t.id) as ids`;
      });
      const { rows } = await database.client.query<{ ids: number[] }>(
        `${parts.join(' union all ')} order by n`,
        params,
      );
      found.push(...rows.map(({ ids }) => ids));
    }
    return found;
  }

  it.each(entities)(
    'give the same records for every generated filter of %s',
    async (entity) => {
      await call('PUT', entity, {
        settings: { number_of_shards: 1, number_of_replicas: 0, 'sort.field': 'id' },
        mappings: { dynamic: 'strict', properties: searchMapping(searchFields(entity)) },
      });
      const rounds = Math.ceil(filtersWanted / entities.length / filtersPerRound);
      let matches = 0;
      for (let round = 0; round < rounds; round++) {
        const numbers = { seed: seed + round };
        const records = fc.sample(recordOf(entity), { ...numbers, numRuns: recordsPerRound });
        const numbered = records.map((record, index) => ({ ...record, id: index + 1 }));
        await store(entity, records);
        const sent = fc.sample(filterOf(entity), { ...numbers, numRuns: filtersPerRound });
        const filters = sent.map((filter) => parseFilters(entity, filter, { today, names }));
        const queries = filters.map(searchQuery);
        const [selected, selectedBySql] = await Promise.all([select(entity, queries), selectBySql(entity, filters)]);
        filters.forEach((filter, index) => {
          const evaluated = numbered.filter((record) => evaluateFilter(filter, record)).map(({ id }) => id);
          matches += evaluated.length;
          for (const [where, found] of Object.entries({ OpenSearch: selected[index]!, SQL: selectedBySql[index]! })) {
            if (evaluated.join() === found.join()) continue;
            const id = [...evaluated, ...found].find((one) => evaluated.includes(one) !== found.includes(one));
            throw new Error(
              `${JSON.stringify(sent[index])} on ${JSON.stringify(numbered[id! - 1])}: ` +
                `in memory ${evaluated.includes(id!)}, in ${where} ${found.includes(id!)}; ${JSON.stringify(queries[index])}`,
            );
          }
        });
      }
      // Filters that never match would prove nothing: at least one case in a hundred must be a match.
      expect(matches).toBeGreaterThan((rounds * recordsPerRound * filtersPerRound) / 100);
    },
    3_600_000,
  );

  it('count the clauses of a query as Lucene does', async () => {
    const phrases = (count: number) => Array.from({ length: count }, (_, place) => `a${place} b${place}`);
    const queryOf = (count: number) =>
      searchQuery(parseFilters('company', { keywords: [{ values: phrases(count) }] }, { today, names }));
    // The node's default is 1,024.
    await call('PUT', 'clauses', { mappings: { properties: searchMapping(searchFields('company')) } });
    expect(clauseCount(queryOf(500))).toBe(1000);
    const others = (count: number) => Array.from({ length: count }, (_, id) => ({ term: { country_id: String(id) } }));
    const withOthers = (count: number) => ({
      bool: { filter: [queryOf(500), { bool: { should: others(count) } }] },
    });
    expect(clauseCount(withOthers(24))).toBe(1024);
    await expect(select('clauses', [withOthers(24)])).resolves.toEqual([[]]);
    // Lucene looks before it counts the next one.
    await expect(select('clauses', [withOthers(26)])).rejects.toThrow('too_many_nested_clauses');
  }, 600_000);
});
