// The queries of the data API that are measured. Each is GraphQL for the gateway, and the SQL that a person would write
// for the same answer. Parameters are drawn from the data, so that every filter finds something.
import type pg from 'pg';

/** One set of values: variables for the gateway, parameters for the hand-written SQL. */
export interface Values {
  variables: Record<string, unknown>;
  parameters: unknown[];
}

export interface MeasuredQuery {
  name: string;
  field: 'companiesConnection' | 'personsConnection' | 'dealsConnection' | 'contactsConnection';
  /** Whether the answer holds totalCount. */
  isCounted: boolean;
  /** Below `edges { node {`. */
  selection: string;
  declaration: string;
  passed: string;
  /** Table, WHERE and ORDER BY over alias `t`; the raw server adds columns and LIMIT. */
  from: string;
  orderBy: string;
  columns: string;
  /** The statement of a page where a plain one is not the best that is known; planned once for all parameters. */
  page?: (rows: number) => string;
  draw: (sql: pg.Pool) => Promise<Values[]>;
}

const money = '{ value currency multiplier isVerified localCurrency localCurrencyValue localCurrencyValueMultiplier }';
const company = `id name websiteUrl description headquarters ticker exchange foundedYear isPublic hasSubsidiary numberOfEmployees industry { id name } sector { id name } country { id name alpha2Code alpha3Code } revenue ${money}`;
const companyColumns =
  't.id, t.name, t.website_url, t.description, t.headquarters, t.ticker, t.exchange, t.founded_year, t.is_public, t.has_subsidiary, t.number_of_employees, t.industry_id, t.sector_id, t.country_id, t.revenue';
const person = `id name firstName lastName gender age skills country { id name } salary { grossSalary ${money} }`;
const personColumns =
  't.id, t.name, t.first_name, t.last_name, t.gender, t.birth_date, t.skill_ids, t.country_id, t.gross_salary';
const deal = `id title description type announcedDate startDate endDate isExclusive annualValue ${money} buyerCompanies { id name } sellerCompanies { id name }`;
const dealColumns =
  't.id, t.title, t.description, t.type, t.announced_date, t.start_date, t.end_date, t.is_exclusive, t.annual_value, t.buyer_company_ids, t.buyer_company_names, t.seller_company_ids, t.seller_company_names';
const contact = 'id name firstName lastName email emails company { id name } person { id name }';
const contactColumns =
  't.id, t.name, t.first_name, t.last_name, t.email, t.emails, t.company_id, t.company_name, t.person_id, t.person_name';

const companyArguments = {
  declaration: '$searchFilters: InputCompanySearchFilters',
  passed: 'searchFilters: $searchFilters',
};

const industryRevenue = {
  field: 'companiesConnection',
  selection: company,
  ...companyArguments,
  from: 'company t where t.industry_id = $1 and t.revenue_amount between $2 and $3',
  orderBy: 't.id',
  columns: companyColumns,
  draw: async (sql: pg.Pool) => {
    const { rows } = await sql.query<{ id: string; member: string; low: string; high: string }>(`
      select industry_id as id, percentile_disc(0.2) within group (order by revenue_amount) as low,
             percentile_disc(0.6) within group (order by revenue_amount) as high
        from company where industry_id is not null and revenue_amount is not null group by industry_id order by count(*) desc limit 160 offset 20`);
    const { industries } = await import('@tradewind/filters');
    const members = new Map(industries.map(({ id, member }) => [String(id), member]));
    return rows.map(({ id, low, high }) => ({
      variables: {
        searchFilters: {
          industry: [{ values: [members.get(id)] }],
          revenue: [{ values: [low, high], comparison: 'BETWEEN' }],
        },
      },
      parameters: [id, low, high],
    }));
  },
} as const;

/** Words that many of the first records hold, the commonest left out. */
async function frequentWords(sql: pg.Pool, table: string, column: string): Promise<string[]> {
  const { rows } = await sql.query<{ word: string }>(
    `select word from ts_stat($1) where nentry >= 3 and length(word) > 3 order by nentry desc limit 120 offset 5`,
    [`select ${column} from ${table} where id in (select id from ${table} order by id limit 20000)`],
  );
  return rows.map(({ word }) => word);
}

export const measuredQueries: readonly MeasuredQuery[] = [
  { name: 'companies by industry and revenue', isCounted: false, ...industryRevenue },
  { name: 'companies by industry and revenue, with totalCount', isCounted: true, ...industryRevenue },
  {
    name: 'companies by keywords',
    field: 'companiesConnection',
    isCounted: false,
    selection: company,
    ...companyArguments,
    from: 'company t where t.search @@ $1::tsquery',
    orderBy: 't.id',
    columns: companyColumns,
    draw: async (sql) =>
      (await frequentWords(sql, 'company', 'search')).map((word) => ({
        variables: { searchFilters: { keywords: [{ values: [word] }] } },
        parameters: [`'${word}'`],
      })),
  },
  {
    name: 'companies by country and employees',
    field: 'companiesConnection',
    isCounted: false,
    selection: company,
    ...companyArguments,
    from: 'company t where t.country_id = $1 and t.number_of_employees >= $2',
    orderBy: 't.id',
    columns: companyColumns,
    draw: async (sql) => {
      const { rows } = await sql.query<{ id: string; least: string }>(`
        select country_id as id, percentile_disc(0.5) within group (order by number_of_employees) as least
          from company where country_id is not null and number_of_employees is not null group by country_id order by count(*) desc limit 60`);
      return rows.map(({ id, least }) => ({
        variables: {
          searchFilters: {
            country: [{ values: [id] }],
            numberOfEmployees: [{ values: [least], comparison: 'MORE_OR_EQUALS_THAN' }],
          },
        },
        parameters: [id, least],
      }));
    },
  },
  {
    name: 'deals by start date, newest announcement first',
    field: 'dealsConnection',
    isCounted: false,
    selection: deal,
    declaration: '$searchFilters: InputDealSearchFilters, $sorters: [JSONObject!]',
    passed: 'searchFilters: $searchFilters, sorters: $sorters',
    from: 'deal t where t.start_date between $1 and $2',
    orderBy: 't.announced_date desc nulls last, t.id',
    columns: dealColumns,
    // PostgreSQL would read most of the table in the order of the page. Its statistics do not show that the dates of a
    // deal lie close together. So the newest of each block of days come from an index that the gateway has for it.
    page: (rows) => `select ${dealColumns} from (
         select head.*
           from generate_series(($1::date - date '2000-01-01') / 32, ($2::date - date '2000-01-01') / 32) block,
                lateral (select id, announced_date from deal
                          where (start_date - date '2000-01-01') / 32 = block and start_date between $1 and $2
                          order by announced_date desc nulls last, id limit ${rows}) head
          order by announced_date desc nulls last, id limit ${rows}) p
       join deal t on t.id = p.id order by t.announced_date desc nulls last, t.id`,
    draw: async () =>
      Array.from({ length: 60 }, (_, index) => {
        const year = 2018 + (index % 8);
        const month = String((index % 12) + 1).padStart(2, '0');
        const range = [`${year}-${month}-01`, `${year + 1}-${month}-01`];
        return {
          variables: {
            searchFilters: { startDate: [{ values: range, comparison: 'BETWEEN' }] },
            sorters: [{ field: 'announcedDate', direction: 'DESC' }],
          },
          parameters: range,
        };
      }),
  },
  {
    name: 'persons by two skills',
    field: 'personsConnection',
    isCounted: false,
    selection: person,
    declaration: '$searchFilters: InputPersonsSearchFilters',
    passed: 'searchFilters: $searchFilters',
    from: 'person t where t.skill_ids @> $1::bigint[]',
    orderBy: 't.id',
    columns: personColumns,
    draw: async (sql) => {
      const { rows } = await sql.query<{ skill_ids: string[] }>(
        'select skill_ids from person where cardinality(skill_ids) >= 2 order by id limit 80',
      );
      return rows.map(({ skill_ids: [one, two] }) => ({
        variables: { searchFilters: { skills: [{ values: [one, two], comparison: 'IS_ALL_OF' }] } },
        parameters: [[one, two]],
      }));
    },
  },
  {
    name: 'contacts by words',
    field: 'contactsConnection',
    isCounted: false,
    selection: contact,
    declaration: '$filters: InputGetContactFilters',
    passed: 'filters: $filters',
    from: 'contact t where t.is_shared and t.search @@ $1::tsquery and not t.is_deleted and not t.is_blacklisted',
    orderBy: 't.id',
    columns: contactColumns,
    draw: async (sql) =>
      (await frequentWords(sql, 'contact', 'search')).map((word) => ({
        variables: { filters: { query: word, filterType: 'SHARED' } },
        parameters: [`'${word}':*`],
      })),
  },
];

/** The request as GraphQL, with what else its body has. */
export function graphqlBody(query: MeasuredQuery, variables: Record<string, unknown>, others: object = {}): string {
  const count = query.isCounted ? 'totalCount ' : '';
  const text = `query Measured(${query.declaration}) { ${query.field}(${query.passed}) { ${count}edges { cursor node { ${query.selection} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  return JSON.stringify({ query: text, variables, ...others });
}
