// Example requests: one for every filter field, made from the table of fields, and some for what filters cannot show.
// The explorer offers them, docs/examples prints them, and a test sends each.
import { filterFields, type FilterEntity, type FilterField } from '@tradewind/filters';
import { parse, print } from 'graphql';

export interface Example {
  title: string;
  query: string;
  variables: Record<string, unknown>;
}

const connections: Record<FilterEntity, { field: string; input: string; select: string }> = {
  company: {
    field: 'companiesConnection',
    input: 'InputCompanySearchFilters',
    select: 'id name industry { name } revenue { value currency multiplier }',
  },
  person: {
    field: 'personsConnection',
    input: 'InputPersonsSearchFilters',
    select: 'id name age skills country { name }',
  },
  deal: {
    field: 'dealsConnection',
    input: 'InputDealSearchFilters',
    select: 'id title type announcedDate annualValue { value currency multiplier }',
  },
};

const page = 'pageInfo { hasNextPage endCursor }';

function searchQuery(entity: FilterEntity): string {
  const { field, input, select } = connections[entity];
  return `query Search($searchFilters: ${input}, $after: String) {
  ${field}(searchFilters: $searchFilters, after: $after) {
    totalCount
    edges { node { ${select} } }
    ${page}
  }
}`;
}

/** Fields that are arguments of companiesConnection, with their types. */
const argumentTypes: Record<string, string> = {
  topMarkets: '[InputTopMarketsFilter!]',
  officeLocation: '[InputOfficeLocationFilter!]',
};

function filterExample(field: FilterField): Example {
  const { entity, name, comparisons } = field;
  const isRange = field.example.length === 2 && comparisons.includes('BETWEEN') && name !== 'languageIds';
  const isSingle =
    field.example.length === 1 && comparisons.includes('MORE_OR_EQUALS_THAN') && field.value.kind !== 'integer';
  const comparison = isRange && !isIdList(field) ? 'BETWEEN' : isSingle ? 'MORE_OR_EQUALS_THAN' : 'IS_ANY_OF';
  const filter = [{ values: field.example, comparison }];
  const type = argumentTypes[name];
  const title = `${connections[entity].field}: ${name}`;
  if (type === undefined)
    return { title, query: searchQuery(entity), variables: { searchFilters: { [name]: filter } } };
  const query = `query Search($${name}: ${type}) {
  companiesConnection(${name}: $${name}) {
    totalCount
    edges { node { ${connections.company.select} } }
    ${page}
  }
}`;
  return { title, query, variables: { [name]: filter } };
}

function isIdList({ stored }: FilterField): boolean {
  return stored.shape === 'list';
}

const further: Example[] = [
  {
    title: 'companiesConnection: several filters, all must hold',
    query: searchQuery('company'),
    variables: {
      searchFilters: {
        country: [{ values: ['United States'] }],
        numberOfEmployees: [{ values: [1000], comparison: 'MORE_THAN' }],
        revenue: [{ values: [1_000_000_000, 9_000_000_000], comparison: 'BETWEEN' }],
      },
    },
  },
  {
    title: 'dealsConnection: newest first',
    query: `query Newest($searchFilters: InputDealSearchFilters, $sorters: [JSONObject!]) {
  dealsConnection(searchFilters: $searchFilters, sorters: $sorters) {
    edges { node { id title announcedDate buyerCompanies { id name } sellerCompanies { id name } sports { name } } }
    ${page}
  }
}`,
    variables: {
      searchFilters: { status: [{ values: ['ACTIVE'] }] },
      sorters: [{ field: 'announcedDate', direction: 'DESC' }],
    },
  },
  {
    title: 'contactsConnection: words, last changed first',
    query: `query Contacts($filters: InputGetContactFilters) {
  contactsConnection(filters: $filters, sortBy: UPDATED_AT, sortOrder: DESC) {
    totalCount
    edges { node { id name email company { id name } person { id name } } }
    ${page}
  }
}`,
    variables: { filters: { query: 'a', isContact: true } },
  },
  {
    title: 'contactsConnection: by their persons',
    query: `query Contacts($personSearchFilters: JSONObject) {
  contactsConnection(personSearchFilters: $personSearchFilters, personSortBy: GROSS_SALARY, sortOrder: DESC) {
    edges { node { id name person { id name } } }
    ${page}
  }
}`,
    variables: { personSearchFilters: { age: [{ values: [30, 60], comparison: 'BETWEEN' }] } },
  },
];

export const examples: readonly Example[] = [
  ...further,
  ...Object.values(filterFields).flatMap((fields) => fields.map(filterExample)),
].map((example) => ({ ...example, query: print(parse(example.query)) }));
