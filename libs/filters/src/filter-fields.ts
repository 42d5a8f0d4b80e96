// Every filter field of every entity: its value type, its comparisons, where its value lies, and what it means.
// Parsing, SQL, in-memory evaluation, the gateway's schema descriptions and docs/filters.md all read this one table.
// Columns are those of the gateway's data tables (apps/graphql-gateway/src/data-tables/README.md).
import {
  dealRenewalOptions,
  dealStatuses,
  dealTypes,
  educationLevels,
  genders,
  inclusionComparisons,
  type SearchComparison,
  searchComparisons,
} from './enumerations.js';
import type { Vocabulary } from './name-dictionary.js';

export type FilterEntity = 'company' | 'person' | 'deal';

/** What the caller writes into `values`. */
export type ValueType =
  | { kind: 'integer' | 'money' | 'date' | 'age' | 'boolean' | 'text' }
  | { kind: 'member'; members: readonly string[] }
  /** A name or id of a vocabulary; an unknown one is an error. */
  | { kind: 'name'; vocabulary: Vocabulary }
  /** A member of the enum `Industry`, no free text. */
  | { kind: 'industry' };

export type ColumnType = 'bigint' | 'date' | 'boolean' | 'text' | 'timestamptz' | 'uuid';

/** Where the record holds the value. */
export type Stored =
  /** One value or null. */
  | { shape: 'one'; column: string; type: ColumnType }
  /** A list, never null; `wordsColumn` holds the words of its texts, for the index. */
  | { shape: 'list'; column: string; type: 'bigint' | 'text'; wordsColumn?: string }
  /** Distinct words in a tsvector; `whole` are the columns that hold the whole normalised texts. */
  | { shape: 'words'; column: string; whole: readonly WholeText[] }
  /** Follows from the dates and today. */
  | { shape: 'status'; startColumn: string; endColumn: string };

export interface WholeText {
  column: string;
  isList: boolean;
}

export interface FilterField {
  entity: FilterEntity;
  name: string;
  value: ValueType;
  stored: Stored;
  comparisons: readonly SearchComparison[];
  /** One sentence for schema descriptions and docs. */
  meaning: string;
  /** Values of an example filter. */
  example: readonly (string | number | boolean)[];
}

const inclusion = Object.keys(inclusionComparisons) as SearchComparison[];
const sets: SearchComparison[] = ['IS', 'IS_ANY_OF', 'IS_NOT_ANY_OF', 'IS_ALL_OF'];
const all = Object.keys(searchComparisons) as SearchComparison[];

const integer: ValueType = { kind: 'integer' };
const money: ValueType = { kind: 'money' };
const date: ValueType = { kind: 'date' };
const boolean: ValueType = { kind: 'boolean' };
const text: ValueType = { kind: 'text' };
const members = (of: Record<string, string>): ValueType => ({ kind: 'member', members: Object.keys(of) });
const named = (vocabulary: Vocabulary): ValueType => ({ kind: 'name', vocabulary });

const one = (column: string, type: ColumnType): Stored => ({ shape: 'one', column, type });
const ids = (column: string): Stored => ({ shape: 'list', column, type: 'bigint' });
const words = (column: string, ...whole: string[]): Stored => ({
  shape: 'words',
  column,
  whole: whole.map((name) => ({ column: name, isList: name.endsWith('_names_normalised') })),
});
const wholeNames = (column: string, wordsColumn: string): Stored => ({
  shape: 'list',
  column,
  type: 'text',
  wordsColumn,
});

type FieldRow = [
  name: string,
  value: ValueType,
  stored: Stored,
  comparisons: readonly SearchComparison[],
  meaning: string,
  example: readonly (string | number | boolean)[],
];

const personRows: FieldRow[] = [
  [
    'identity',
    text,
    words('identity_search', 'name_normalised', 'role_normalised'),
    sets,
    'Words of the name or the role; `IS`: the whole name or the whole role.',
    ['chief marketing officer'],
  ],
  [
    'name',
    text,
    words('name_search', 'name_normalised'),
    sets,
    'Words of the full name; `IS`: the whole name.',
    ['Maria Keller'],
  ],
  ['age', { kind: 'age' }, one('birth_date', 'date'), all, 'Age in whole years on today (UTC).', [30, 45]],
  ['birthDate', date, one('birth_date', 'date'), all, 'Date of birth.', ['1980-01-01', '1989-12-31']],
  ['gender', members(genders), one('gender', 'text'), sets, 'Gender.', ['FEMALE']],
  [
    'location',
    named('location'),
    ids('location_ids'),
    sets,
    'Where the person is: a city, or a country or region around it; names or ids.',
    ['Dublin'],
  ],
  [
    'country',
    named('country'),
    one('country_id', 'bigint'),
    sets,
    'Country: names, ISO codes or ids.',
    ['Switzerland', 'DE'],
  ],
  [
    'regionId',
    named('region'),
    ids('region_ids'),
    sets,
    'Region of the country, and every region around it: ids or names.',
    [4],
  ],
  [
    'salary',
    money,
    one('gross_salary_amount', 'bigint'),
    all,
    'Gross salary per year; the same as `grossSalary`.',
    [100000],
  ],
  [
    'grossSalary',
    money,
    one('gross_salary_amount', 'bigint'),
    all,
    'Gross salary per year, in units of its currency (value times multiplier).',
    [80000, 120000],
  ],
  [
    'netSalary',
    money,
    one('net_salary_amount', 'bigint'),
    all,
    'Net salary per year, in units of its currency (value times multiplier).',
    [60000],
  ],
  ['skills', named('skill'), ids('skill_ids'), sets, 'Skills: names or ids.', ['Negotiation', 'Sponsorship']],
  [
    'educationLevel',
    members(educationLevels),
    one('education_level', 'text'),
    sets,
    'Highest level of education.',
    ['POSTGRADUATE_MASTERS', 'PHD'],
  ],
  ['languageIds', named('language'), ids('language_ids'), sets, 'Spoken languages: ids or names.', [1, 'German']],
];

const companyRows: FieldRow[] = [
  [
    'keywords',
    text,
    words('search', 'name_normalised'),
    sets,
    'Words of name, ticker, headquarters and description; `IS`: the whole name.',
    ['cloud infrastructure'],
  ],
  [
    'country',
    named('country'),
    one('country_id', 'bigint'),
    sets,
    'Country of the head office: names, ISO codes or ids.',
    ['United States'],
  ],
  [
    'headquarters',
    named('location'),
    ids('headquarters_location_ids'),
    sets,
    'Where the head office is: a city, or a country or region around it; names or ids.',
    ['Dublin, Ireland'],
  ],
  [
    'industry',
    { kind: 'industry' },
    one('industry_id', 'bigint'),
    sets,
    'Members of the enum Industry.',
    ['Accounting', 'Airlines'],
  ],
  [
    'location',
    named('location'),
    ids('location_ids'),
    sets,
    'Any location of the company, the head office included: a city, or a country or region around it; names or ids.',
    ['Los Angeles, California'],
  ],
  [
    'region',
    named('region'),
    ids('region_ids'),
    sets,
    'Region of the head office, and every region around it: names or ids.',
    ['DACH'],
  ],
  ['numberOfEmployees', integer, one('number_of_employees', 'bigint'), all, 'Number of employees.', [1000]],
  [
    'employeeCount',
    integer,
    one('number_of_employees', 'bigint'),
    all,
    'Number of employees; the same as `numberOfEmployees`.',
    [50, 500],
  ],
  [
    'revenue',
    money,
    one('revenue_amount', 'bigint'),
    all,
    'Revenue per year, in units of its currency (value times multiplier).',
    [1000000, 9000000000],
  ],
  [
    'topMarkets',
    named('region'),
    ids('top_market_region_ids'),
    inclusion,
    'Regions where the company does business: names or ids.',
    ['North America'],
  ],
  [
    'officeLocation',
    named('region'),
    ids('office_region_ids'),
    inclusion,
    'Regions where the company has offices: names or ids.',
    ['Nordics'],
  ],
];

const dealRows: FieldRow[] = [
  ['id', integer, one('id', 'bigint'), all, 'Id of the deal.', ['42']],
  [
    'title',
    text,
    words('title_search', 'title_normalised'),
    sets,
    'Words of the title; `IS`: the whole title.',
    ['jersey sponsorship'],
  ],
  ['type', members(dealTypes), one('type', 'text'), sets, 'Type of the deal.', ['SPONSORSHIP', 'MEDIA']],
  [
    'status',
    members(dealStatuses),
    { shape: 'status', startColumn: 'start_date', endColumn: 'end_date' },
    sets,
    'FUTURE before the start date, PAST after the end date, else ACTIVE; on today (UTC).',
    ['ACTIVE'],
  ],
  ['announcedDate', date, one('announced_date', 'date'), all, 'Day of the announcement.', ['2025-01-01', '2025-12-31']],
  ['startDate', date, one('start_date', 'date'), all, 'First day.', ['2026-01-01']],
  ['endDate', date, one('end_date', 'date'), all, 'Last day.', ['2028-06-30']],
  [
    'dealLength',
    integer,
    one('deal_length', 'bigint'),
    all,
    'Whole days from the start date to the end date.',
    [365, 1095],
  ],
  [
    'annualValue',
    money,
    one('annual_value_amount', 'bigint'),
    all,
    'Value per year, in units of its currency (value times multiplier).',
    [1000000],
  ],
  [
    'totalValue',
    money,
    one('total_value_amount', 'bigint'),
    all,
    'Value of the whole deal, in units of its currency (value times multiplier).',
    [5000000],
  ],
  ['isEstimate', boolean, one('is_estimate', 'boolean'), sets, 'Whether the values are estimates.', [true]],
  [
    'isExclusive',
    boolean,
    one('is_exclusive', 'boolean'),
    sets,
    'Whether the buyer is the only one in its industry.',
    [true],
  ],
  [
    'renewalOption',
    members(dealRenewalOptions),
    one('renewal_option', 'text'),
    sets,
    'Place in a row of contracts.',
    ['RENEWAL'],
  ],
  [
    'buyerCompanyIds',
    integer,
    ids('buyer_company_ids'),
    all,
    'Ids of the buying companies; an order comparison holds when one id of the list satisfies it.',
    [1, 2],
  ],
  [
    'sellerCompanyIds',
    integer,
    ids('seller_company_ids'),
    all,
    'Ids of the selling companies; an order comparison holds when one id of the list satisfies it.',
    [1, 2],
  ],
  [
    'sellerPersonIds',
    integer,
    ids('seller_person_ids'),
    all,
    'Ids of the selling persons; an order comparison holds when one id of the list satisfies it.',
    [1, 2],
  ],
  [
    'sportId',
    integer,
    ids('sport_ids'),
    all,
    'Ids of the sports; an order comparison holds when one id of the list satisfies it.',
    [3],
  ],
  [
    'buyerCompanyKeywords',
    text,
    words('buyer_search', 'buyer_names_normalised'),
    sets,
    'Words of the names of the buying companies; `IS`: the whole name of one.',
    ['Airlines'],
  ],
  [
    'buyerCompanyNormalizedKeywords',
    text,
    wholeNames('buyer_names_normalised', 'buyer_search'),
    sets,
    'Whole name of a buying company, without regard to case, accents and punctuation.',
    ['Delta Air Lines'],
  ],
  [
    'sellerCompanyKeywords',
    text,
    words('seller_search', 'seller_names_normalised'),
    sets,
    'Words of the names of the selling companies; `IS`: the whole name of one.',
    ['United'],
  ],
  [
    'sellerCompanyNormalizedKeywords',
    text,
    wholeNames('seller_names_normalised', 'seller_search'),
    sets,
    'Whole name of a selling company, without regard to case, accents and punctuation.',
    ['Walt Disney Company'],
  ],
  [
    'buyerCompanyCategoryId',
    integer,
    ids('buyer_category_ids'),
    all,
    'Ids of the categories of the buying companies.',
    [1],
  ],
  [
    'buyerCompanyRegionId',
    integer,
    ids('buyer_region_ids'),
    all,
    'Ids of the regions of the buying companies, and of every region around them.',
    [4],
  ],
  [
    'buyerParentCompanyId',
    integer,
    ids('buyer_parent_company_ids'),
    all,
    'Ids of the parents of the buying companies.',
    [1],
  ],
  [
    'sellerCompanyCategoryId',
    integer,
    ids('seller_category_ids'),
    all,
    'Ids of the categories of the selling companies.',
    [1],
  ],
  [
    'sellerCompanyRegionId',
    integer,
    ids('seller_region_ids'),
    all,
    'Ids of the regions of the selling companies, and of every region around them.',
    [4],
  ],
  [
    'sellerParentCompanyId',
    integer,
    ids('seller_parent_company_ids'),
    all,
    'Ids of the parents of the selling companies.',
    [1],
  ],
  [
    'buyerCompanyRevenue',
    money,
    one('buyer_revenue_amount', 'bigint'),
    all,
    'Revenue per year of the largest buying company, in units of its currency.',
    [1000000000],
  ],
  [
    'buyerNormalizedIndustryId',
    named('industry'),
    ids('buyer_industry_ids'),
    sets,
    'Industries of the buying companies: ids, enum members or names.',
    ['17'],
  ],
  [
    'sellerNormalizedIndustryId',
    named('industry'),
    ids('seller_industry_ids'),
    sets,
    'Industries of the selling companies: ids, enum members or names.',
    ['17'],
  ],
];

const tableOf = (entity: FilterEntity, rows: FieldRow[]): readonly FilterField[] =>
  rows.map(([name, value, stored, comparisons, meaning, example]) => ({
    entity,
    name,
    value,
    stored,
    comparisons,
    meaning,
    example,
  }));

/** The fields by entity, in the order of data-api.md. */
export const filterFields: Readonly<Record<FilterEntity, readonly FilterField[]>> = {
  person: tableOf('person', personRows),
  company: tableOf('company', companyRows),
  deal: tableOf('deal', dealRows),
};

const byName = new Map(
  Object.values(filterFields).flatMap((fields) => fields.map((field) => [`${field.entity}.${field.name}`, field])),
);

/** The field of that name, if the entity has one. */
export function findFilterField(entity: FilterEntity, name: string): FilterField | undefined {
  return byName.get(`${entity}.${name}`);
}
