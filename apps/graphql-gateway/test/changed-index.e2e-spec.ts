// Somebody else has changed the index that an engine outside of the process answers from. Real tables and pages; the
// engine alone is a stand-in, which answers whatever the test says.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  canonicalKey,
  compileFilter,
  type Condition,
  NameDictionary,
  type NormalisedFilter,
  parseFilters,
} from '@tradewind/filters';
import { ChangedRows, type FilterAnswer, FilterEngine } from '@tradewind/filter-engine';
import type { PageRequest } from '../src/connections/page-reader.port.js';
import { PostgresPageReader } from '../src/connections/page-reader.postgres.js';
import { DataStore } from '../src/data-store/data-store.js';
import { AppEvents } from '../src/events.js';
import { FollowedChanges } from '../src/filter-engine/followed-changes.js';
import { EnginePageReader } from '../src/filter-engine/page-reader.engine.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { insertContacts, insertPersons } from './support/records.js';

const me = '6f2b1c34-0000-4000-8000-000000000001';
const other = '6f2b1c34-0000-4000-8000-000000000002';

const wordsOf = (beginning: string, count: number) => Array.from({ length: count }, (_, n) => `${beginning}${n}`);

class ChangedEngine extends FilterEngine {
  readonly name = 'opensearch';
  override readonly isOutside = true;
  ids: bigint[] = [];
  constructor(private readonly dataVersion: bigint) {
    super();
  }
  override canAnswer = () => true;
  override version = () => this.dataVersion;
  override search = (): Promise<FilterAnswer> =>
    Promise.resolve({ ids: this.ids, count: this.ids.length, version: this.dataVersion, persons: new Set() });
}

describe('an index that somebody else has changed', () => {
  let gateway: TestGateway;
  let engine: ChangedEngine;
  let reader: EnginePageReader;
  const distrusted: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ FILTER_ENGINE: 'postgres' });
    await insertPersons(gateway.sql, [{ id: 1, gender: 'FEMALE' }]);
    await insertContacts(gateway.sql, [
      { id: 1, name: 'Mine', owner_id: me, is_shared: false, person_id: 1 },
      { id: 2, name: 'Private of another', owner_id: other, is_shared: false },
      { id: 3, name: 'Shared', owner_id: other, is_shared: true },
      { id: 4, name: 'Shared, in the CRM', owner_id: other, is_shared: true, is_crm: true },
      { id: 6, name: 'Of many words', is_crm: true, company_name: wordsOf('name', 12_000).join(' ') },
    ]);
    const { rows } = await gateway.sql.query<{ entity: string; version: string }>(
      'select entity, version from data_version',
    );
    const versions = new Map(rows.map(({ entity, version }) => [entity, BigInt(version)]));
    engine = new ChangedEngine(versions.get('contact')!);
    const { app } = gateway.replicas[0]!;
    reader = new EnginePageReader({
      engine,
      postgres: app.get(PostgresPageReader),
      changes: {
        current: (entity: string) => new ChangedRows(versions.get(entity)!),
        isWritten: () => false,
        distrust: (entity: string) => distrusted.push(entity),
      } as unknown as FollowedChanges,
      dataStore: app.get(DataStore),
      events: app.get(AppEvents),
    });
  }, 120_000);
  afterAll(() => gateway.close());

  function personsOf(gender: object): NormalisedFilter {
    const names = NameDictionary.of({ cities: [], skills: [], languages: [] });
    return parseFilters('person', { gender }, { today: '2026-11-24', names });
  }

  /** Contacts that I may see, outside the CRM. */
  async function idsFor(
    ids: bigint[],
    { limit = 10, person, more = [] }: { limit?: number; person?: NormalisedFilter; more?: Condition[] } = {},
  ) {
    engine.ids = ids;
    distrusted.length = 0;
    const filter: NormalisedFilter = {
      entity: 'contact',
      today: '',
      conditions: [
        {
          field: '',
          op: 'either',
          conditions: [
            { field: '', op: 'in', column: 'is_shared', type: 'boolean', values: [true], isNegated: false },
            { field: '', op: 'in', column: 'owner_id', type: 'uuid', values: [me], isNegated: false },
          ],
        },
        { field: '', op: 'in', column: 'is_crm', type: 'boolean', values: [false], isNegated: false },
        ...more,
      ],
    };
    const { sql, params } = compileFilter(filter);
    const ofPerson = person && compileFilter(person, { firstParameter: params.length + 1 });
    const request: PageRequest = {
      table: 'contact',
      columns: ['id'],
      where: ofPerson
        ? {
            sql: `${sql} and t.person_id in (select t.id from person t where ${ofPerson.sql})`,
            params: [...params, ...ofPerson.params],
          }
        : { sql, params },
      filter,
      ...(person && { person: { filter: person, key: canonicalKey(person) }, alsoReads: ['person'] }),
      countKey: canonicalKey(filter) + (person ? canonicalKey(person) : ''),
      sort: [],
      after: null,
      limit,
      isCounted: true,
    };
    const { rows, count } = await reader.read(request);
    return { ids: rows.map(([id]) => id), count: count!.count, distrusted: [...distrusted] };
  }

  it('answers as long as its records belong in the answer', async () => {
    expect(await idsFor([1n, 3n])).toEqual({ ids: ['1', '3'], count: 2, distrusted: [] });
  });

  it.each([
    ['a private contact of another', [1n, 2n, 3n]],
    ['a record that does not match', [1n, 3n, 4n]],
    ['a record that is gone', [1n, 3n, 5n]],
  ])('shows nobody %s: PostgreSQL answers, and the engine is distrusted', async (_what, ids) => {
    expect(await idsFor(ids)).toEqual({ ids: ['1', '3'], count: 2, distrusted: ['contact'] });
    // Also where the page is full without it.
    expect(await idsFor(ids, { limit: 2 })).toEqual({ ids: ['1', '3'], count: 2, distrusted: ['contact'] });
  });

  it('shows no contact whose person does not match, nor one without a person', async () => {
    const male = personsOf({ values: ['MALE'] });
    const notMale = personsOf({ values: ['MALE'], comparison: 'IS_NOT_ANY_OF' });
    expect(await idsFor([1n], { person: notMale })).toEqual({ ids: ['1'], count: 1, distrusted: [] });
    expect(await idsFor([1n, 3n], { person: notMale })).toEqual({ ids: ['1'], count: 1, distrusted: ['contact'] });
    expect(await idsFor([1n], { person: male })).toEqual({ ids: [], count: 0, distrusted: ['contact'] });
  });

  it('tests no row that has too many words for the filter: PostgreSQL answers', async () => {
    const phrases = wordsOf('other', 500).map((word) => [word]);
    const none: Condition = { field: '', op: 'words', column: 'search', phrases, match: 'any', isNegated: true };
    expect(await idsFor([6n], { more: [none] })).toEqual({ ids: ['1', '3'], count: 2, distrusted: [] });
    expect(await idsFor([1n, 3n], { more: [none] })).toEqual({ ids: ['1', '3'], count: 2, distrusted: [] });
  });
});
