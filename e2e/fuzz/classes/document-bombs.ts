import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import type { HostileClass } from './class.types.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const introspection = (levels: number) => `${'ofType { '.repeat(levels)}name${' }'.repeat(levels)}`;

/** Each with its size; each larger than a person would write at that size. */
const bombs: Record<string, (size: number) => string> = {
  doublingFragments: (size) =>
    `{ ...f0 } ${range(size)
      .map((at) => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`)
      .join(' ')} fragment f${size} on Query { __typename }`,
  circularFragments: (size) =>
    `{ ...f0 } ${range(size + 1)
      .map((at) => `fragment f${at} on Query { ...f${(at + 1) % (size + 1)} }`)
      .join(' ')}`,
  selfFragment: (size) => `{ ...f } fragment f on Query { ${'...f '.repeat(size + 1)} }`,
  unusedFragments: (size) =>
    `{ __typename } ${range(size)
      .map((at) => `fragment f${at} on Query { __typename }`)
      .join(' ')}`,
  inlineFragments: (size) => `{ ${'... on Query { '.repeat(size)}__typename${' }'.repeat(size)} }`,
  aliases: (size) =>
    `{ ${range(size)
      .map((at) => `a${at}: __typename`)
      .join(' ')} }`,
  sameField: (size) => `{ ${'__typename '.repeat(size + 1)} }`,
  sameConnection: (size) =>
    `{ ${range(size)
      .map((at) => `a${at}: companiesConnection { totalCount }`)
      .join(' ')} }`,
  conflictingFields: (size) =>
    `{ companiesConnection { edges { node { ${range(size)
      .map((at) => `x: ${at % 2 ? 'id' : 'name'}`)
      .join(' ')} } } } }`,
  introspectionDepth: (size) => `{ __schema { types { fields { type { ${introspection(size)} } } } } }`,
  introspectionWidth: (size) =>
    `{ ${range(size)
      .map((at) => `a${at}: __schema { types { name fields { name type { name } } } }`)
      .join(' ')} }`,
  introspectionCircle: (size) =>
    `{ __schema { ${'types { fields { type { '.repeat(size)}name${' } } }'.repeat(size)} } }`,
  directives: (size) => `{ __typename ${'@skip(if: false) '.repeat(size)} }`,
  unknownDirectives: (size) =>
    `{ __typename ${range(size)
      .map((at) => `@d${at}`)
      .join(' ')} }`,
  unknownFields: (size) =>
    `{ ${range(size)
      .map((at) => `companiesConnectio${at}`)
      .join(' ')} }`,
  unknownTypes: (size) =>
    `query (${range(size)
      .map((at) => `$v${at}: InputCompanySearchFilter${at}`)
      .join(', ')}) { __typename }`,
  variables: (size) =>
    `query (${range(size)
      .map((at) => `$v${at}: Int`)
      .join(', ')}) { __typename }`,
  deepLiteral: (size) =>
    `{ contactsConnection(filters: { query: ${'['.repeat(size)}${']'.repeat(size)} }) { totalCount } }`,
  wideLiteral: (size) => `{ contactsConnection(filters: { query: [${'1 '.repeat(size)}] }) { totalCount } }`,
  longName: (size) => `{ ${'a'.repeat(size * 10 + 1)} }`,
  longString: (size) =>
    `{ contactsConnection(filters: { query: "${marker}${'\\u0301'.repeat(size)}" }) { totalCount } }`,
  blockString: (size) => `{ contactsConnection(filters: { query: """${'\\n \\t'.repeat(size)}""" }) { totalCount } }`,
  comments: (size) => `${'# a\n'.repeat(size)}{ __typename }`,
  commas: (size) => `${','.repeat(size * 10)}{ __typename }`,
  operations: (size) =>
    range(size + 2)
      .map((at) => `query q${at} { __typename }`)
      .join(' '),
  unclosed: (size) => '{ a '.repeat(size + 1),
  subscription: (size) => `subscription { ${'a '.repeat(size + 1)} }`,
};

/** Sizes at which an exponential document would already take hours. */
const sizes = [1, 5, 20, 40, 150, 500, 2_000, 10_000];

/** Documents that cost more than their length: fragments, circles, introspection, aliases, directives. */
export const documentBombs: HostileClass = {
  name: 'GraphQL bombs',
  isRefused: false,
  weight: 4,
  requests: (service, { target }) => {
    if (service !== 'graphql-gateway') return undefined;
    return fc
      .record({
        bomb: fc.constantFrom(...Object.values(bombs)),
        size: fc.oneof(fc.constantFrom(...sizes), fc.nat(300)),
        path: fc.constantFrom('/graphql', '/auth/graphql'),
        more: fc.constantFrom<object>(
          {},
          { operationName: marker },
          { variables: { [marker]: 1 } },
          { extensions: {} },
        ),
      })
      .map(({ bomb, size, path, more }) => ({
        ...{ kind: 'http', service, method: 'POST', path },
        headers: {
          'content-type': 'application/json',
          ...(path === '/graphql' ? { authorization: `Bearer ${target.tokens.apiKey}` } : {}),
        },
        body: JSON.stringify({ query: bomb(size), ...more }),
      }));
  },
};
