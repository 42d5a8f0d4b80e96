import { postGraphQL } from './post-graphql.js';
import {
  selections,
  type Company,
  type Contact,
  type ContactSortBy,
  type Deal,
  type InputCompanySearchFilters,
  type InputDealSearchFilters,
  type InputGetContactFilters,
  type InputOfficeLocationFilter,
  type InputPersonsSearchFilters,
  type InputTopMarketsFilter,
  type PageInfo,
  type Person,
  type PersonOrderBy,
  type SortOrder,
} from './schema.generated.js';

interface Records {
  Company: Company;
  Person: Person;
  Deal: Deal;
  Contact: Contact;
}

export interface CompanyQuery {
  searchFilters?: InputCompanySearchFilters;
  topMarkets?: readonly InputTopMarketsFilter[];
  officeLocation?: readonly InputOfficeLocationFilter[];
}

export interface PersonQuery {
  searchFilters?: InputPersonsSearchFilters;
}

export interface DealSorter {
  field: 'announcedDate' | 'startDate' | 'endDate' | 'annualValue' | 'totalValue' | 'title' | 'id';
  direction?: SortOrder;
}

export interface DealQuery {
  searchFilters?: InputDealSearchFilters;
  sorters?: readonly DealSorter[];
}

export interface ContactQuery {
  filters?: InputGetContactFilters;
  personSearchFilters?: InputPersonsSearchFilters;
  sortBy?: ContactSortBy;
  personSortBy?: PersonOrderBy;
  sortOrder?: SortOrder;
}

interface Queries {
  Company: CompanyQuery;
  Person: PersonQuery;
  Deal: DealQuery;
  Contact: ContactQuery;
}

/** What every call takes in addition to its query. */
export interface PageOptions<Field> {
  /** Fields to fetch, with all their sub-fields; every field unless given. */
  fields?: readonly Field[];
  /** Cursor to go on from. */
  after?: string;
  /** Whether to count the matches: `totalCount` of a page. */
  count?: boolean;
  signal?: AbortSignal;
}

export interface Page<Node> {
  nodes: Node[];
  /** Present with `count: true`. */
  totalCount?: number;
  pageInfo: PageInfo;
  /** Data calls left today after this one. */
  callsRemaining: number | undefined;
}

export interface DataClientOptions {
  /** Address of the gateway, such as `http://localhost:4001`. */
  url: string;
  apiKey: string;
  /** For tests and proxies. */
  fetch?: typeof fetch;
}

type Name = keyof Records;

// Arguments of each connection with their GraphQL types; a filter's variable must have the name of its argument.
const connections = {
  Company: {
    field: 'companiesConnection',
    types: {
      searchFilters: 'InputCompanySearchFilters',
      topMarkets: '[InputTopMarketsFilter!]',
      officeLocation: '[InputOfficeLocationFilter!]',
    },
  },
  Person: { field: 'personsConnection', types: { searchFilters: 'InputPersonsSearchFilters' } },
  Deal: { field: 'dealsConnection', types: { searchFilters: 'InputDealSearchFilters', sorters: '[JSONObject!]' } },
  Contact: {
    field: 'contactsConnection',
    types: {
      filters: 'InputGetContactFilters',
      personSearchFilters: 'JSONObject',
      sortBy: 'ContactSortBy',
      personSortBy: 'PersonOrderBy',
      sortOrder: 'SortOrder',
    },
  },
} as const satisfies Record<Name, { field: string; types: Record<string, string> }>;

/**
 * The data API as a typed client. Every page is one data call of the user's day. Failures throw DataApiError.
 *
 * @example
 * const client = new DataClient({ url: 'http://localhost:4001', apiKey });
 * const query = { searchFilters: { industry: [{ values: ['Accounting'] }] } };
 * for await (const company of client.companies(query, { fields: ['id', 'name'] })) console.log(company.name);
 */
export class DataClient {
  constructor(private readonly options: DataClientOptions) {}

  /** All matching companies, page after page. */
  companies<F extends keyof Company = keyof Company>(
    query: CompanyQuery = {},
    options: PageOptions<F> = {},
  ): AsyncGenerator<Pick<Company, F>, void> {
    return this.all('Company', query, options);
  }

  /** All matching persons, page after page. */
  persons<F extends keyof Person = keyof Person>(
    query: PersonQuery = {},
    options: PageOptions<F> = {},
  ): AsyncGenerator<Pick<Person, F>, void> {
    return this.all('Person', query, options);
  }

  /** All matching deals, page after page. */
  deals<F extends keyof Deal = keyof Deal>(
    query: DealQuery = {},
    options: PageOptions<F> = {},
  ): AsyncGenerator<Pick<Deal, F>, void> {
    return this.all('Deal', query, options);
  }

  /** All matching contacts, page after page. */
  contacts<F extends keyof Contact = keyof Contact>(
    query: ContactQuery = {},
    options: PageOptions<F> = {},
  ): AsyncGenerator<Pick<Contact, F>, void> {
    return this.all('Contact', query, options);
  }

  /** One page of a record type. */
  async page<N extends Name, F extends keyof Records[N] = keyof Records[N]>(
    name: N,
    query: Queries[N],
    options: PageOptions<F> = {},
  ): Promise<Page<Pick<Records[N], F>>> {
    const { field, types } = connections[name];
    const given: Record<string, unknown> = { ...query, after: options.after };
    const argumentTypes: Record<string, string> = { ...types, after: 'String' };
    const names = Object.keys(argumentTypes).filter((argument) => given[argument] !== undefined);
    const { data, headers } = await postGraphQL({
      url: `${this.options.url.replace(/\/+$/, '')}/graphql`,
      credential: this.options.apiKey,
      query: documentOf(field, names, argumentTypes, selectionOf(name, options.fields), options.count === true),
      variables: Object.fromEntries(names.map((argument) => [argument, given[argument]])),
      fetch: this.options.fetch ?? fetch,
      signal: options.signal,
    });
    const connection = data[field] as {
      totalCount?: number;
      edges: { node: Pick<Records[N], F> }[];
      pageInfo: PageInfo;
    };
    const remaining = headers.get('x-ratelimit-remaining');
    return {
      nodes: connection.edges.map(({ node }) => node),
      pageInfo: connection.pageInfo,
      callsRemaining: remaining === null ? undefined : Number(remaining),
      ...(connection.totalCount === undefined ? {} : { totalCount: connection.totalCount }),
    };
  }

  private async *all<N extends Name, F extends keyof Records[N]>(
    name: N,
    query: Queries[N],
    options: PageOptions<F>,
  ): AsyncGenerator<Pick<Records[N], F>, void> {
    let after = options.after;
    for (;;) {
      const { nodes, pageInfo } = await this.page(name, query, {
        ...options,
        count: false,
        ...(after === undefined ? {} : { after }),
      });
      yield* nodes;
      if (!pageInfo.hasNextPage || pageInfo.endCursor === null) return;
      after = pageInfo.endCursor;
    }
  }
}

function selectionOf(name: Name, fields: readonly PropertyKey[] | undefined): string {
  const all: Record<string, string> = selections[name];
  return (fields ?? Object.keys(all)).map((field) => all[String(field)]).join(' ');
}

function documentOf(
  field: string,
  names: readonly string[],
  types: Record<string, string>,
  selection: string,
  isCounted: boolean,
): string {
  const declared = names.map((name) => `$${name}: ${types[name]}`).join(', ');
  const passed = names.map((name) => `${name}: $${name}`).join(', ');
  const withParentheses = (text: string) => (text === '' ? '' : `(${text})`);
  return `query Page${withParentheses(declared)} { ${field}${withParentheses(passed)} { ${isCounted ? 'totalCount ' : ''}edges { node { ${selection} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
}
