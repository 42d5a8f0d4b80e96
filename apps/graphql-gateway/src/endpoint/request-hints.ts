// Hints for callers who write queries in the style of other APIs, or without the documentation: what is right here. A
// hint is added to the message about an invalid document; nothing else depends on it.
import { comparisonMeant } from '@tradewind/filters';
import { isObjectType, type GraphQLSchema } from 'graphql';
import { namedVariableExample } from './named-variable-rule.js';

const words = (text: string) => new Set(text.split(' '));
const pageSizes = words('first last limit take top size pagesize perpage per_page count max maxresults');
const positions = words('before offset skip page pagenumber cursor startcursor endcursor start from since next');
const orders = words('sort sorts sortby sorting order orderby orderings sorters');
const lists = words('nodes node items item results result data records record rows list values');
const counts = words('count total totalcount total_count totalresults numberofresults length size');
const recordNames: readonly (readonly [connection: string, names: ReadonlySet<string>])[] = [
  ['companiesConnection', words('companies company organizations organisations companyconnection companieslist')],
  ['personsConnection', words('persons person people personconnection peopleconnection employees')],
  ['dealsConnection', words('deals deal dealconnection sponsorships')],
  ['contactsConnection', words('contacts contact contactconnection')],
];
const logIn = words('authenticateuser createapikey login signin');

/** The hint for one message of graphql-js's validation; empty when there is none. */
export function validationHint(schema: GraphQLSchema, message: string): string {
  const argument = /^Unknown argument "(\w+)" on field "Query\.(\w+Connection)"/.exec(message);
  if (argument) return argumentHint(argument[1]!.toLowerCase(), argument[2]!);
  const field = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message);
  if (field) return fieldHint(schema, field[1]!, field[2]!);
  const comparison = /^Value "(\w+)" does not exist in "\w*ComparisonType" enum/.exec(message);
  const meant = comparison && comparisonMeant(comparison[1]);
  if (meant) return ` Use ${meant}.`;
  if (/^Expected value of type "\[?\w+Filter!?\]?", found /.test(message))
    return ' A filter field takes a list of filters, {values: [...], comparison: ...}, and filters travel in the variable $searchFilters.';
  if (message.includes('no mutation operations')) return logInHint;
  return '';
}

const logInHint = ' authenticateUser and createApiKey are mutations of POST /auth/graphql.';

function argumentHint(name: string, connection: string): string {
  if (pageSizes.has(name))
    return ' The server sets the page size; for the next page pass pageInfo.endCursor of this one as after.';
  if (positions.has(name)) return ' Pages go forward only: pass pageInfo.endCursor of the previous page as after.';
  if (orders.has(name)) return orderHints[connection] ?? ' The order is by id.';
  if (connection === 'contactsConnection') return ' Contacts are filtered by filters: {query: "..."}.';
  return ` Filters are fields of searchFilters. ${namedVariableExample(connection, 'searchFilters')}`;
}

const orderHints: Readonly<Record<string, string>> = {
  dealsConnection: ' Deals are ordered by sorters: [{field: "announcedDate", direction: "DESC"}].',
  contactsConnection: ' Contacts are ordered by sortBy: CREATED_AT, sortOrder: DESC.',
};

function fieldHint(schema: GraphQLSchema, name: string, type: string): string {
  const wanted = name.toLowerCase();
  if (type === 'Query') {
    if (logIn.has(wanted)) return logInHint;
    const connection = recordNames.find(([own, names]) => own.toLowerCase() === wanted || names.has(wanted))?.[0];
    if (!connection) return '';
    const isHere = schema.getQueryType()?.getFields()[connection] !== undefined;
    return isHere
      ? ` Did you mean ${connection}?`
      : ` ${connection} is a field of POST /graphql, which takes an API key.`;
  }
  const [, record, part] = /^(\w+?)(Connection|Edge)$/.exec(type) ?? [];
  if (record === undefined) return '';
  if (part === 'Connection') {
    if (lists.has(wanted)) return ' Did you mean edges { node { ... } }?';
    if (counts.has(wanted)) return ' Did you mean totalCount?';
    if (hasField(schema, 'PageInfo', name)) return ` Did you mean pageInfo { ${name} }?`;
  }
  if (!hasField(schema, record, name)) return '';
  return part === 'Edge' ? ` Did you mean node { ${name} }?` : ` Did you mean edges { node { ${name} } }?`;
}

function hasField(schema: GraphQLSchema, typeName: string, field: string): boolean {
  const type = schema.getType(typeName);
  return isObjectType(type) && Object.hasOwn(type.getFields(), field);
}
