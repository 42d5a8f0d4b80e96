// Drawn rows, filters and orders of all four entities. Those of companies, persons and deals come from the tests of
// libs/filters. They are loaded by their path, because a lib shows only its index to others.
import {
  compileFilter,
  type Condition,
  type FilterEntity,
  type FilterRecord,
  type NameDictionary,
  type NormalisedFilter,
  parseFilters,
  wordsOf,
} from '@tradewind/filters';
import fc from 'fast-check';
import type { Entity, SortKey } from '../src/index.js';

interface Arbitraries {
  today: string;
  names: NameDictionary;
  recordOf: (entity: FilterEntity) => fc.Arbitrary<FilterRecord>;
  filterOf: (entity: FilterEntity) => fc.Arbitrary<Record<string, unknown>>;
}

const path: string = new URL('../../filters/test/arbitraries.ts', import.meta.url).pathname;
const { today, names, recordOf, filterOf } = (await import(path)) as Arbitraries;

const owners = ['6f2b1c34-0000-4000-8000-000000000001', '6f2b1c34-0000-4000-8000-000000000002'];
const instants = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-02-28T23:59:59.999Z'];
const texts = ['Zoë Ñandú', 'zoe', 'ann Lee', 'Ann Lee', 'ann', 'bo', 'Ünal 👩 x', 'x'];
const smallId = fc.integer({ min: 1, max: 6 });
const ids = fc.uniqueArray(smallId, { maxLength: 3 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const flags = ['is_shared', 'has_sync_issues', 'is_contact', 'is_crm', 'is_deleted', 'is_blacklisted'];

const contactRecord = fc.record({
  name: fc.constantFrom(...texts),
  email: orNull(fc.constantFrom('ann@example.com', 'Bo@example.com', 'zoe.n@example.org')),
  emails: fc.uniqueArray(fc.constantFrom('a@example.com', 'B@Example.net', 'ANN@example.com'), { maxLength: 2 }),
  owner_id: orNull(fc.constantFrom(...owners)),
  user_id: orNull(smallId),
  company_id: orNull(fc.constantFrom('1', '2', '9007199254740993')),
  company_name: orNull(fc.constantFrom('Annex', 'Bolt')),
  person_id: orNull(fc.oneof(smallId, fc.integer({ min: 1, max: 1_300 }))),
  person_name: orNull(fc.constantFrom(...texts)),
  person_birth_date: orNull(fc.constantFrom('1980-02-29', '1999-12-31', '2001-01-01')),
  person_gross_salary_amount: orNull(fc.constantFrom(1, 50_000, '9007199254740993')),
  import_id: orNull(smallId),
  opportunity_ids: ids,
  collection_ids: ids,
  matching_status: orNull(fc.constantFrom('MATCHED', 'PENDING')),
  sync_source_type: orNull(fc.constantFrom('CRM', 'EMAIL')),
  created_at: fc.constantFrom(...instants),
  updated_at: fc.constantFrom(...instants),
  ...Object.fromEntries(flags.map((flag) => [flag, fc.boolean()])),
});

const values = <T extends string | number | boolean | bigint>(
  column: string,
  type: Extract<Condition, { op: 'in' }>['type'],
  value: fc.Arbitrary<T>,
): fc.Arbitrary<Condition> =>
  fc
    .tuple(fc.uniqueArray(value, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([list, isNegated]) => ({ field: column, op: 'in', column, type, values: list, isNegated }));
const phrase = fc.constantFrom('ann', 'ann lee', 'example', 'zoe nandu', 'bolt', 'no such word').map(wordsOf);
const beginning = fc.constantFrom('an', 'b', 'ann le', 'zo', 'example o', 'u').map(wordsOf);
const words = (phrases: readonly (readonly string[])[], rest: object): Condition => ({
  field: '',
  op: 'words',
  column: 'search',
  phrases,
  match: 'all',
  isNegated: false,
  ...rest,
});
const among = fc.constantFrom('opportunity_ids', 'collection_ids').chain((column) =>
  fc.uniqueArray(smallId, { maxLength: 3 }).map((list): Condition => ({
    field: column,
    op: 'overlaps',
    column,
    type: 'bigint',
    values: list,
    isNegated: false,
  })),
);
const instantRange = fc
  .tuple(fc.constantFrom('created_at', 'updated_at'), fc.constantFrom(...instants), fc.constantFrom(...instants))
  .map(([column, min, max]): Condition => {
    const bound = (value: string) => ({ value, isInclusive: true });
    const ranges = [{ min: bound(min), ...(min <= max && { max: bound(max) }) }];
    return { field: column, op: 'inRanges', column, type: 'timestamptz', ranges, isNegated: false };
  });

const contactConditions = fc.array(
  fc.oneof(
    values('id', 'bigint', fc.integer({ min: 1, max: 300 })),
    values('company_id', 'bigint', fc.constantFrom<number | bigint>(1, 2, 9007199254740993n, 9007199254740992n)),
    values('person_id', 'bigint', smallId),
    values('matching_status', 'text', fc.constantFrom('MATCHED', 'PENDING', 'UNMATCHED')),
    fc.constantFrom(...flags).chain((flag) => values(flag, 'boolean', fc.boolean())),
    fc.constantFrom(...owners).map((owner): Condition => ({
      field: '',
      op: 'either',
      conditions: [
        { field: '', op: 'in', column: 'is_shared', type: 'boolean', values: [true], isNegated: false },
        { field: '', op: 'in', column: 'owner_id', type: 'uuid', values: [owner], isNegated: false },
      ],
    })),
    phrase.map((each) => words([each], {})),
    fc.tuple(phrase, phrase).map((phrases) => words(phrases, { match: 'any', isNegated: true })),
    beginning.map((each) => words([each], { isUnfinished: true })),
    among,
    instantRange,
    fc.constant<Condition>({
      field: '',
      op: 'hasElementIn',
      column: 'collection_ids',
      type: 'bigint',
      range: {},
    }),
  ),
  { maxLength: 3 },
);

export function drawnRecord(entity: Entity): fc.Arbitrary<FilterRecord> {
  return entity === 'contact' ? contactRecord : recordOf(entity);
}

export function drawnFilter(entity: Entity): fc.Arbitrary<NormalisedFilter> {
  if (entity === 'contact') return contactConditions.map((conditions) => ({ entity, today, conditions }));
  return filterOf(entity).map((filter) => parseFilters(entity, filter, { today, names }));
}

export interface DrawnContacts {
  filter: NormalisedFilter;
  person?: NormalisedFilter;
  /** The same as both of them. */
  where: { sql: string; params: unknown[] };
}

const address = fc.constantFrom(
  'ann@example.com',
  'bo@example.com',
  'b@example.net',
  'a@example.com',
  'no@example.com',
);

/** Contacts by an address, by their person, or by both, beside other conditions. */
export const drawnContacts: fc.Arbitrary<DrawnContacts> = fc
  .tuple(contactConditions, fc.option(address), fc.option(filterOf('person'), { freq: 4 }))
  .map(([conditions, email, personFilter]) => {
    const { sql, params } = compileFilter({ entity: 'contact', today, conditions });
    const where = { sql, params: [...params] as unknown[] };
    const ofAddress: Condition[] = [];
    if (email !== null) {
      where.sql += ` and $${where.params.push(email)}::text in (select lower(a) from unnest(t.emails || t.email) a)`;
      const values = [email];
      ofAddress.push({ field: '', op: 'overlaps', column: 'addresses', type: 'text', values, isNegated: false });
    }
    const filter: NormalisedFilter = { entity: 'contact', today, conditions: [...conditions, ...ofAddress] };
    if (personFilter === null) return { filter, where };
    const person = parseFilters('person', personFilter, { today, names });
    const compiled = compileFilter(person, { firstParameter: where.params.length + 1 });
    where.sql += ` and t.person_id in (select t.id from person t where ${compiled.sql})`;
    where.params.push(...compiled.params);
    return { filter, person, where };
  });

/**
 * Draws this many values with their numbers, and goes on until the test has seen enough, ten times as many at most.
 * A seed may begin with filters that match next to nothing.
 */
export function* drawnUntil<T>(
  arbitrary: fc.Arbitrary<T>,
  { seed, count, isEnough }: { seed: number; count: number; isEnough: () => boolean },
): Generator<[number: number, value: T]> {
  for (const [number, value] of fc.sample(arbitrary, { seed, numRuns: 10 * count }).entries()) {
    if (number >= count && isEnough()) return;
    yield [number, value];
  }
}

type Column = Pick<SortKey, 'column' | 'type' | 'isNullable'>;
const nullable = (column: string, type: SortKey['type']): Column => ({ column, type, isNullable: true });

/** What pages can be sorted by, the id aside. */
const sortable: Record<Entity, readonly Column[]> = {
  company: [],
  person: [],
  deal: [
    nullable('announced_date', 'date'),
    nullable('start_date', 'date'),
    nullable('end_date', 'date'),
    nullable('annual_value_amount', 'bigint'),
    nullable('total_value_amount', 'bigint'),
    { column: 'title', type: 'text', isNullable: false },
  ],
  contact: [
    { column: 'created_at', type: 'timestamptz', isNullable: false },
    { column: 'updated_at', type: 'timestamptz', isNullable: false },
    { column: 'name', type: 'text', isNullable: false },
    nullable('email', 'text'),
    nullable('person_name', 'text'),
    nullable('person_birth_date', 'date'),
    nullable('person_gross_salary_amount', 'bigint'),
  ],
};

/** Up to three keys and the id. */
export function drawnSort(entity: Entity): fc.Arbitrary<SortKey[]> {
  const direction = fc.constantFrom<'asc' | 'desc'>('asc', 'desc');
  const columns =
    sortable[entity].length === 0
      ? fc.constant<Column[]>([])
      : fc.uniqueArray(fc.constantFrom(...sortable[entity]), { maxLength: 3 });
  return columns.chain((list) =>
    fc
      .tuple(direction, ...list.map((column) => direction.map((each): SortKey => ({ ...column, direction: each }))))
      .map(([idDirection, ...keys]) => [
        ...keys,
        { column: 'id', type: 'bigint', direction: idDirection, isNullable: false } as const,
      ]),
  );
}
