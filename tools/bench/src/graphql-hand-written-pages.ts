// A page of a measured query by hand-written SQL, in the shape that the data API answers. The two hand-written servers
// of the benchmark share it.
import pg from 'pg';
import { measuredQueries, type MeasuredQuery } from './graphql-queries.js';

const pageSize = Number(process.env['DATA_PAGE_SIZE']);
const timeoutMs = process.env['DATA_STATEMENT_TIMEOUT_MS'] ?? '0';
const dateOid = 1082;
const poolOf = (planning: 'custom' | 'generic') =>
  new pg.Pool({
    connectionString: process.env['DATABASE_URL'],
    options: `-c search_path=graphql_gateway -c plan_cache_mode=force_${planning}_plan -c random_page_cost=1.1 -c jit=off -c statement_timeout=${timeoutMs}`,
    max: 10,
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === dateOid
          ? (text: string) => text
          : (pg.types.getTypeParser(oid, format) as (text: string) => unknown)) as typeof pg.types.getTypeParser,
    },
  });
const pools = { custom: poolOf('custom'), generic: poolOf('generic') };
const pool = pools.custom;

interface Reference {
  id: string;
  name: string;
}
const byId = async <T extends Reference>(text: string) =>
  new Map((await pool.query<T>(text)).rows.map((row) => [row.id, row]));
const [industries, sectors, countries, skills] = await Promise.all([
  byId('select id, name from industry'),
  byId('select id, name from sector'),
  byId<Reference & { alpha2_code: string; alpha3_code: string }>(
    'select id, name, alpha2_code, alpha3_code from country',
  ),
  byId('select id, name from skill'),
]);

type Row = Record<string, never>;
const list = (value: unknown) => value as string[];

const nodes: Record<MeasuredQuery['field'], (row: Row) => unknown> = {
  companiesConnection: (row) => {
    const country = countries.get(row['country_id']!);
    return {
      id: row['id'],
      name: row['name'],
      websiteUrl: row['website_url'],
      description: row['description'],
      headquarters: row['headquarters'],
      ticker: row['ticker'],
      exchange: row['exchange'],
      foundedYear: row['founded_year'],
      isPublic: row['is_public'],
      hasSubsidiary: row['has_subsidiary'],
      numberOfEmployees: row['number_of_employees'] === null ? null : Number(row['number_of_employees']),
      industry: industries.get(row['industry_id']!) ?? null,
      sector: sectors.get(row['sector_id']!) ?? null,
      country: country
        ? { id: country.id, name: country.name, alpha2Code: country.alpha2_code, alpha3Code: country.alpha3_code }
        : null,
      revenue: row['revenue'],
    };
  },
  personsConnection: (row) => ({
    id: row['id'],
    name: row['name'],
    firstName: row['first_name'],
    lastName: row['last_name'],
    gender: row['gender'],
    age:
      row['birth_date'] === null ? null : new Date().getUTCFullYear() - Number(String(row['birth_date']).slice(0, 4)),
    skills: list(row['skill_ids']).map((id) => skills.get(id)?.name),
    country: countries.get(row['country_id']!) ?? null,
    salary: { grossSalary: row['gross_salary'] },
  }),
  dealsConnection: (row) => ({
    id: row['id'],
    title: row['title'],
    description: row['description'],
    type: row['type'],
    announcedDate: row['announced_date'],
    startDate: row['start_date'],
    endDate: row['end_date'],
    isExclusive: row['is_exclusive'],
    annualValue: row['annual_value'],
    buyerCompanies: list(row['buyer_company_ids']).map((id, index) => ({
      id,
      name: list(row['buyer_company_names'])[index],
    })),
    sellerCompanies: list(row['seller_company_ids']).map((id, index) => ({
      id,
      name: list(row['seller_company_names'])[index],
    })),
  }),
  contactsConnection: (row) => ({
    id: row['id'],
    name: row['name'],
    firstName: row['first_name'],
    lastName: row['last_name'],
    email: row['email'],
    emails: row['emails'],
    company: row['company_id'] === null ? null : { id: row['company_id'], name: row['company_name'] },
    person: row['person_id'] === null ? null : { id: row['person_id'], name: row['person_name'] },
  }),
};

const pages = measuredQueries.map(pageReader);

/** The connection that a measured query answers, for the parameters of its SQL. */
export async function readPage(index: number, parameters: readonly unknown[]): Promise<unknown> {
  return pages[index]!(parameters);
}

function pageReader(query: MeasuredQuery, index: number): (parameters: readonly unknown[]) => Promise<unknown> {
  const best = query.page?.(pageSize + 1);
  const page = {
    name: `page-${index}`,
    text: best ?? `select ${query.columns} from ${query.from} order by ${query.orderBy} limit ${pageSize + 1}`,
  };
  const pagePool = best ? pools.generic : pools.custom;
  const count = { name: `count-${index}`, text: `select count(*) as count from ${query.from}` };
  return async (parameters) => {
    const values = [...parameters];
    const [{ rows }, counted] = await Promise.all([
      pagePool.query<Row>({ ...page, values }),
      query.isCounted ? pool.query<{ count: string }>({ ...count, values }) : undefined,
    ]);
    return connectionOf(query.field, rows, counted && Number(counted.rows[0]!.count));
  };
}

/** The records that satisfy a filter, in an order, with their count. */
export interface FilteredPage {
  field: MeasuredQuery['field'];
  table: string;
  columns: string;
  /** Over alias `t`. */
  where: string;
  orderBy: string;
  parameters: unknown[];
}

export async function readFiltered(asked: FilteredPage): Promise<unknown> {
  const { field, table, columns, where, orderBy, parameters: values } = asked;
  const from = `from ${table} t where ${where}`;
  const [{ rows }, counted] = await Promise.all([
    pool.query<Row>({ text: `select ${columns} ${from} order by ${orderBy} limit ${pageSize + 1}`, values }),
    pool.query<{ count: string }>({ text: `select count(*) as count ${from}`, values }),
  ]);
  return connectionOf(field, rows, Number(counted.rows[0]!.count));
}

function connectionOf(field: MeasuredQuery['field'], rows: readonly Row[], totalCount: number | undefined): unknown {
  const edges = rows
    .slice(0, pageSize)
    .map((row) => ({ cursor: Buffer.from(String(row['id'])).toString('base64url'), node: nodes[field](row) }));
  const pageInfo = {
    hasNextPage: rows.length > pageSize,
    hasPreviousPage: false,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { ...(totalCount !== undefined && { totalCount }), edges, pageInfo };
}
