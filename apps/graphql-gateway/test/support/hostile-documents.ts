// Documents made to cost as much as possible for their length: each repeats one trick as often as the limit on tokens
// lets it.
import { getIntrospectionQuery } from 'graphql';

const times = (count: number, text: string | ((index: number) => string)) =>
  Array.from({ length: count }, (_, index) => (typeof text === 'string' ? text : text(index))).join(' ');

/** `levels` fragments, each of which spreads the next one twice. */
export const chainedFragments = (levels: number, type: string, start: string, end: string) =>
  `{ ${start.replace('...', '...F0')} } ` +
  times(levels, (level) => `fragment F${level} on ${type} {...F${level + 1} ...F${level + 1}}`) +
  ` fragment F${levels} on ${type} { ${end} }`;

const nested = (depth: number, open: string, inner: string) => `${open.repeat(depth)}${inner}${'}'.repeat(depth)}`;

/** `a b c` as `{ a { b { c } } }`. */
const path = (names: string) => `{ ${names.replaceAll(' ', ' { ')}${' }'.repeat(names.split(' ').length)}`;

/** Makes the validation rule expensive that compares fields of one name, for any schema. */
const forAnySchema: Record<string, string> = {
  'chained fragments at the root, 20 levels': chainedFragments(20, 'Query', '...', '__typename'),
  'chained fragments at the root, 31 levels': chainedFragments(31, 'Query', '...', '__typename'),
  'chained fragments at the root, 40 levels': chainedFragments(40, 'Query', '...', '__typename'),
  'chained fragments at the root, 90 levels': chainedFragments(90, 'Query', '...', '__typename'),
  'chained fragments in introspection': chainedFragments(40, '__Schema', '__schema { ... }', 'types { name }'),
  'chained inline fragments': `{ ${nested(150, '... on Query {', '__typename')} }`,
  'fields with a selection, 360 times': `{ __schema { types { ${times(360, 'fields{name}')} } } }`,
  'fields without a selection, 1,400 times': `{ __schema { types { ${times(1400, 'name')} } } }`,
  'fields inside fields, each 18 times': `{ __schema { ${times(18, `types { ${times(18, 'fields{name}')} }`)} } }`,
  'fields inside fields, each 5 times': (() => {
    const level = (left: number): string => (left === 0 ? 'name' : times(5, `ofType{${level(left - 1)}}`));
    return `{ __type(name: "Query") { ${level(3)} } }`;
  })(),
  'fragments of one field, all spread in one place': `{ __schema { types { ${times(110, (i) => `...F${i}`)} } } } ${times(
    110,
    (i) => `fragment F${i} on __Type{ofType{name}}`,
  )}`,
  'fragments that spread one another': `{ __schema { types { ...F0 } } } ${times(
    25,
    (i) => `fragment F${i} on __Type{ofType{${times(24 - i, (j) => `...F${i + j + 1}`)} name}}`,
  )}`,
  'a fragment with many fields in many places': `{ __schema { types { ${times(
    60,
    (i) => `fields { name args { ...V type { ofType { name } } } } ${i % 2 ? 'name' : 'kind'}`,
  )} } } } fragment V on __InputValue { ${times(200, 'name')} }`,
  'fragments in a circle': `{ ...F0 } ${times(170, (i) => `fragment F${i} on Query{...F${(i + 1) % 170}}`)}`,
  'fragments in a circle through a field': `{ __schema { types { ...T } } } fragment T on __Type { ${times(270, 'ofType{...T}')} }`,
  'unused fragments': `{ __typename } ${times(170, (i) => `fragment F${i} on Query{${i % 2 ? 'a' : 'b'}}`)}`,
  'an unused fragment with many fields': `{ __typename } fragment F on __Type { ${times(350, 'fields{name}')} }`,
  'many operations over many fragments': `${times(100, (i) => `query q${i} {...F0}`)} ${times(
    90,
    (i) => `fragment F${i} on Query{...F${i + 1}}`,
  )} fragment F90 on Query { __typename }`,
  'many operations with unknown variables': `${times(60, (i) => `query q${i} {...F}`)} fragment F on Query { ${times(
    100,
    (i) => `__type(name: $v${i}) {name}`,
  )} }`,
  'unknown fields': `{ ${times(750, (i) => `companisConnecton${i}`)} }`,
  'unknown types': times(190, (i) => `fragment F${i} on Compani${i} {a}`),
  'unknown directives': `{ ${times(400, (i) => `__typename @includ${i}`)} }`,
  variables: `query (${times(350, (i) => `$v${i}: Strin${i}`)}) { __typename }`,
  'deep lists': `{ __type(name: ${'['.repeat(700)}${']'.repeat(700)}) { name } }`,
  'deep objects': `{ __type(name: ${'{a:'.repeat(350)}1${'}'.repeat(350)}) { name } }`,
  'a long name': `query ${'a'.repeat(15_000)} { __typename }`,
  'a long alias': `{ ${'a'.repeat(15_000)}: __typename }`,
  'a long string': `{ __type(name: "${'a'.repeat(15_000)}") { name } }`,
  'a block string': `{ __type(name: """${'\\n  '.repeat(3_000)}""") { name } }`,
  comments: '#\n'.repeat(8_000) + '{ __typename }',
  commas: `{ __typename ${','.repeat(15_900)} }`,
  'as many fields of one name as there may be': `{ __schema { types { ${times(
    30,
    'kind name description fields { name } interfaces { name } possibleTypes { name } enumValues { name } inputFields { name } ofType { name }',
  )} } } }`,
  'as many fields with selections as there may be': `{ __type(name: "Query") { ${times(30, path('ofType ofType ofType ofType ofType ofType ofType ofType ofType name').slice(1, -1))} } }`,
  introspection: getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }),
  'introspection, many times': `{ ${times(10, (i) => `a${i}: __schema { types { fields { args { name type { name kind } } type { name } } inputFields { name } enumValues { name description } } }`)} }`,
  'introspection, each list under many names': `{ __schema { ${times(14, (i) => `a${i}: types { fields { args { name } } inputFields { name } enumValues { name } }`)} } }`,
  'types of types': `{ __schema { types { fields { type { fields { type { name description } } } } } } }`,
  'types of arguments of types': `{ __schema { types { fields { args { type { inputFields { type { ofType { inputFields { type { ofType { ofType { enumValues { name description } } } } } } } } } } } } } }`,
  'types of inputs of types': `{ __schema { types { inputFields { type { ofType { ofType { inputFields { name type { ofType { ofType { ofType { enumValues { name description isDeprecated } } } } } } } } } } } } }`,
  'the same type, many times': `{ ${times(10, (i) => `a${i}: __type(name: "Query") ${path('fields args type inputFields type ofType ofType inputFields type ofType ofType ofType enumValues name')}`)} }`,
};

/** The same with connections and filters. */
const forData: Record<string, string> = {
  'chained fragments in a connection': chainedFragments(
    40,
    'CompanyConnection',
    'companiesConnection { ... }',
    'totalCount',
  ),
  'chained fragments in an edge': chainedFragments(
    40,
    'CompanyEdge',
    'companiesConnection { edges { ... } }',
    'cursor',
  ),
  'chained fragments in a node': chainedFragments(
    40,
    'Company',
    'companiesConnection { edges { node { ... } } }',
    'id',
  ),
  'chained fragments in a node, without end': `{ companiesConnection { edges { node { ...F0 } } } } fragment F0 on Company {...F1 ...F1} fragment F1 on Company {...F0 ...F0}`,
  'edges and nodes, each 15 times': `{ companiesConnection { ${times(15, `edges { ${times(15, 'node{id}')} }`)} } }`,
  'money, as many times as there may be': `{ companiesConnection { edges { node { ${times(
    30,
    'revenue{value currency} marketCap{value currency} fundingRaised{value currency} industry{id name} sector{id name}',
  )} } } } }`,
  'money, many times': `{ companiesConnection { edges { node { ${times(350, 'revenue{value}')} } } } }`,
  'unknown industries': `{ companiesConnection(searchFilters: {industry: [{values: [${times(400, (i) => `Acounting_and_finance_services_${i}`)}]}]}) { totalCount } }`,
  'unknown industries in their own filters': `{ companiesConnection(searchFilters: {industry: [${times(180, (i) => `{values: [Restaurants_and_bars_${i}]}`)}]}) { totalCount } }`,
  'unknown filters': `{ companiesConnection(searchFilters: {${times(300, (i) => `industri${i}: 1`)}}) { totalCount } }`,
  'deep sorters': `{ dealsConnection(sorters: [${'{a:'.repeat(330)}1${'}'.repeat(330)}]) { totalCount } }`,
  'deep person filters': `{ contactsConnection(personSearchFilters: {a: ${'['.repeat(600)}${']'.repeat(600)}}) { totalCount } }`,
};

export const hostileDocuments = { auth: forAnySchema, data: { ...forAnySchema, ...forData } };
