// Generated records and filters. Values come from small pools that records and filters share, so that filters match
// often. Others are the edges of each type: nulls, empty lists, Unicode that looks alike, 64-bit integers, leap days.
import fc from 'fast-check';
import {
  dealRenewalOptions,
  dealTypes,
  educationLevels,
  type FilterEntity,
  type FilterField,
  filterFields,
  type FilterRecord,
  genders,
  industries,
  moneyAmount,
  type MoneyMultiplier,
  moneyMultipliers,
  NameDictionary,
} from '../src/index.js';

export const today = '2026-02-28';

const words = [
  'Zürich',
  'zurich',
  'ZU\u0308RICH',
  'straße',
  'STRASSE',
  'ﬁn',
  'fin',
  'İstanbul',
  'istanbul',
  'ıx',
  'ΣΊΣΥΦΟΣ',
  'σισυφος',
  'AT&T',
  'at',
  't',
  '3M',
  'naïve',
  '東京',
  '東',
  'ｶﾀｶﾅ',
  'カタカナ',
  '👩‍👩‍👧',
  "O'Brien",
  'brien',
  'back\\slash',
  '"quote"',
  'a-b',
  'a',
  'b',
  '½',
  'x²',
  'ǅ',
  '%_',
  'NULL',
  '&',
  '|',
  '!',
  '(',
  '<->',
  ':*',
  '\u00a0',
  '\u200b',
  '१२',
  '{}',
  '$1',
  "'; drop table company; --",
];

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ')),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .map((value) => value.replaceAll('\0', ''))
      // New letters that the database may not know yet are another test's subject.
      .filter((value) => !/[\p{Surrogate}\p{Unassigned}]/u.test(value)),
  },
);

const searchable = text.filter((value) => /[\p{Alphabetic}0-9]/u.test(value.normalize('NFKD')));

/** Integers as records and filters write them: numbers or digit strings. */
const asWritten = (integer: fc.Arbitrary<bigint>) =>
  fc.tuple(integer, fc.boolean()).map(([value, isText]) => {
    const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
    return isText || !isSafe ? String(value) : Number(value);
  });

const integerPool = [
  0n,
  1n,
  2n,
  3n,
  17n,
  365n,
  1000n,
  2147483647n,
  2147483648n,
  9000000000n,
  9007199254740993n,
  9223372036854775807n,
];
const anyInteger = asWritten(fc.constantFrom(...integerPool, -1n, -9223372036854775808n));
const storedInteger = fc.constantFrom(...integerPool).map(String);
const smallId = fc.integer({ min: 1, max: 8 });

const datePool = [
  '0001-01-01',
  '1979-02-28',
  '1980-02-28',
  '1980-02-29',
  '1980-03-01',
  '1996-02-29',
  '1999-12-31',
  '2000-01-01',
  '2025-02-28',
  '2026-02-27',
  '2026-02-28',
  '2026-03-01',
  '2028-02-29',
  '9999-12-31',
];
const date = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...datePool) },
  {
    weight: 1,
    arbitrary: fc
      .date({ min: new Date('1940-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
      .map((value) => value.toISOString().slice(0, 10)),
  },
);

const multipliers = Object.keys(moneyMultipliers) as MoneyMultiplier[];

/** Whole units of a Money: values with up to two decimals in every multiplier. */
const amount = fc
  .tuple(fc.constantFrom(0, 1, 1.5, 2.25, 9, 17, 999.99, 9000), fc.constantFrom(...multipliers))
  .map(([value, multiplier]) => moneyAmount({ value, multiplier }));

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const ids = (id: fc.Arbitrary<number>) => fc.uniqueArray(id, { maxLength: 4 });

const cities = [
  { id: 10000, name: 'Zürich', countryId: 1756 },
  { id: 10001, name: 'Portland, Oregon', countryId: 1840 },
  { id: 10002, name: 'Portland, Maine', countryId: 1840 },
  { id: 10003, name: 'Dublin', countryId: 1372 },
];
const skills = [
  { id: 1, name: 'Négociation' },
  { id: 2, name: 'C++' },
  { id: 3, name: '東京' },
];
const languages = [
  { id: 1, name: 'English' },
  { id: 2, name: 'Français' },
  { id: 3, name: '日本語' },
];
export const names = NameDictionary.of({ cities, skills, languages });

const nameValues = {
  region: ['DACH', 'europe', 'Nórdics', 1, '4'],
  country: ['Switzerland', 'usa', 'IE', 'U.S.A.', "cote d'ivoire", 1756, '1840'],
  location: ['ZURICH', 'Portland', 'Portland, Oregon', 'dublin, Ireland', 'Oregon', 'DACH', 'Ireland', 10003],
  skill: ['negociation', 'C++', '東京', 2],
  language: ['english', 'francais', '日本語', 3, '1'],
  industry: ['Accounting', 'Airlines', '1', 17],
} as const;
const locationId = fc.constantFrom(1, 2, 3, 4, 38, 39, 1372, 1756, 1840, 10000, 10001, 10002, 10003);
const regionId = fc.constantFrom(1, 2, 3, 4, 38, 39);
const industryId = fc.constantFrom(1, 17, 60);
const members = (of: object) => fc.constantFrom(...Object.keys(of));

const recordShapes: Record<FilterEntity, Record<string, fc.Arbitrary<unknown>>> = {
  company: {
    name: text,
    ticker: orNull(text),
    headquarters: orNull(text),
    description: orNull(text),
    country_id: orNull(fc.constantFrom(1372, 1756, 1840)),
    industry_id: orNull(industryId),
    number_of_employees: orNull(storedInteger),
    revenue_amount: orNull(fc.oneof(amount, storedInteger)),
    region_ids: ids(regionId),
    headquarters_location_ids: ids(locationId),
    location_ids: ids(locationId),
    top_market_region_ids: ids(regionId),
    office_region_ids: ids(regionId),
  },
  person: {
    name: text,
    role: orNull(text),
    gender: orNull(members(genders)),
    birth_date: orNull(date),
    country_id: orNull(fc.constantFrom(1372, 1756, 1840)),
    region_ids: ids(regionId),
    location_ids: ids(locationId),
    skill_ids: ids(smallId),
    language_ids: ids(smallId),
    education_level: orNull(members(educationLevels)),
    gross_salary_amount: orNull(amount),
    net_salary_amount: orNull(amount),
  },
  deal: {
    title: text,
    type: orNull(members(dealTypes)),
    announced_date: orNull(date),
    start_date: orNull(date),
    end_date: orNull(date),
    is_estimate: orNull(fc.boolean()),
    is_exclusive: orNull(fc.boolean()),
    renewal_option: orNull(members(dealRenewalOptions)),
    annual_value_amount: orNull(amount),
    total_value_amount: orNull(amount),
    buyer_company_ids: ids(smallId),
    seller_company_ids: ids(smallId),
    seller_person_ids: ids(smallId),
    sport_ids: ids(smallId),
    buyer_company_names: fc.array(text, { maxLength: 2 }),
    seller_company_names: fc.array(text, { maxLength: 2 }),
    buyer_category_ids: ids(smallId),
    buyer_region_ids: ids(regionId),
    buyer_parent_company_ids: ids(smallId),
    buyer_industry_ids: ids(industryId),
    buyer_revenue_amount: orNull(fc.oneof(amount, storedInteger)),
    seller_category_ids: ids(smallId),
    seller_region_ids: ids(regionId),
    seller_parent_company_ids: ids(smallId),
    seller_industry_ids: ids(industryId),
  },
};

/** A row of the entity's table, without its id. */
export const recordOf = (entity: FilterEntity): fc.Arbitrary<FilterRecord> => fc.record(recordShapes[entity]);

function valueOf(field: FilterField): fc.Arbitrary<unknown> {
  switch (field.value.kind) {
    case 'integer':
      return fc.oneof(anyInteger, asWritten(fc.bigInt(1n, 20n)), fc.constant(365));
    case 'money':
      return fc.oneof(anyInteger, amount);
    case 'age':
      return fc.constantFrom(0, 1, 25, '26', 29, 30, 45, 46, 47, 120, 200);
    case 'date':
      return date;
    case 'boolean':
      return fc.constantFrom(true, false, 'true', 'false');
    case 'text':
      return searchable;
    case 'member':
      return fc.constantFrom(...field.value.members);
    case 'industry':
      return fc.constantFrom(...[1, 17, 60].map((id) => industries.find((industry) => industry.id === id)!.member));
    case 'name':
      return fc.constantFrom<unknown>(...nameValues[field.value.vocabulary]);
  }
}

/** One filter object of a field, valid by construction. */
export function objectOf(field: FilterField): fc.Arbitrary<{ values: unknown[]; comparison: string }> {
  const value = valueOf(field);
  return fc.constantFrom(...field.comparisons).chain((comparison) => {
    const isSingle = comparison === 'IS' || comparison.startsWith('MORE') || comparison.startsWith('LESS');
    const values = isSingle
      ? fc.tuple(value)
      : comparison === 'BETWEEN'
        ? fc.tuple(value, value).map(([a, b]) => (isAscending(field, a, b) ? [a, b] : [b, a]))
        : fc.array(value, { minLength: 1, maxLength: comparison === 'IS_ALL_OF' ? 2 : 4 });
    return values.map((list) => ({ values: list, comparison }));
  });
}

function isAscending(field: FilterField, a: unknown, b: unknown): boolean {
  if (field.value.kind === 'date') return String(a) <= String(b);
  return BigInt(a as string | number) <= BigInt(b as string | number);
}

/** One to three fields with one or two objects each. */
export const filterOf = (entity: FilterEntity): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .uniqueArray(fc.constantFrom(...filterFields[entity]), { minLength: 1, maxLength: 3 })
    .chain((fields) =>
      fc.record(
        Object.fromEntries(
          fields.map((field) => [field.name, fc.array(objectOf(field), { minLength: 1, maxLength: 2 })]),
        ),
      ),
    );
