// What the schema of the data API says about its four connections, for a form: which filters there are, what values
// they take, which comparisons they allow, and what a record holds. The schema has no directive for comparisons and for
// where names come from, so these are of the table that the schema itself is made from (libs/filters). A filter of the
// schema that the table lacks makes the generation fail.
import { filterFields } from '@tradewind/filters';
import { getNamedType, getNullableType, isEnumType, isInputObjectType, isListType, isObjectType } from 'graphql';

/** By the name in an address. `table` is the entity in libs/filters. */
const connections = {
  companies: { connection: 'companiesConnection', table: 'company' },
  persons: { connection: 'personsConnection', table: 'person' },
  deals: { connection: 'dealsConnection', table: 'deal' },
  contacts: { connection: 'contactsConnection', table: undefined },
};

const kindsOfScalars = {
  Int: 'integer',
  Float: 'decimal',
  BigInteger: 'integer',
  Boolean: 'boolean',
  String: 'text',
  Timestamp: 'instant',
};

export function dataSchema(schema) {
  const enumerations = {};
  const entities = Object.fromEntries(
    Object.entries(connections).map(([name, { connection, table }]) => {
      const field = schema.getQueryType().getFields()[connection];
      const record = schema.getType(getNamedType(field.type).name.replace(/Connection$/, ''));
      const types = Object.fromEntries(field.args.map((argument) => [argument.name, String(argument.type)]));
      const filters = field.args.flatMap((argument) => filtersOf(argument, table, schema));
      for (const { members } of filters) {
        if (members !== undefined) enumerations[members] ??= membersOf(schema.getType(members));
      }
      const entity = {
        connection,
        record: record.name,
        argumentTypes: types,
        filters,
        sorts: field.args.flatMap(sortsOf),
        fields: fieldsOf(record),
      };
      return [name, entity];
    }),
  );
  return { entities, enumerations };
}

function filtersOf(argument, table, schema) {
  const type = getNamedType(argument.type);
  const compared = (field, path) => comparedFilter(path, field, table);
  if (argument.name === 'searchFilters') {
    return Object.values(type.getFields()).map((field) => compared(field, [argument.name, field.name]));
  }
  // Filters of companies that are arguments themselves.
  if (argument.name === 'topMarkets' || argument.name === 'officeLocation')
    return [compared(argument, [argument.name])];
  // JSON; its description says which filters it is shaped like.
  if (argument.name === 'personSearchFilters') {
    const persons = schema.getType('InputPersonsSearchFilters').getFields();
    return Object.values(persons).map((field) => comparedFilter([argument.name, field.name], field, 'person'));
  }
  if (argument.name === 'filters' && isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => plainFilter([argument.name, field.name], field));
  }
  return [];
}

/** A filter with comparisons: a list of `{values, comparison}`. */
function comparedFilter(path, { name, type }, table) {
  const field = filterFields[table].find((one) => one.name === name);
  if (!field) throw new Error(`libs/filters has no field ${name} of ${table}, but the schema of the data API has`);
  const { value, comparisons, meaning, example } = field;
  const valueType = getNamedType(getNamedType(type).getFields().values.type);
  return {
    path,
    kind: isEnumType(valueType) ? 'member' : value.kind,
    ...(isEnumType(valueType) && { members: valueType.name }),
    ...(value.kind === 'name' && { vocabulary: value.vocabulary }),
    comparisons,
    isList: true,
    meaning: plain(meaning),
    example: example.map(String),
  };
}

/** A filter of contacts: a value or a list of values. */
function plainFilter(path, field) {
  const type = getNamedType(field.type);
  const isEnum = isEnumType(type);
  const kind = isEnum ? 'member' : kindsOfScalars[type.name];
  if (kind === undefined) throw new Error(`${path.join('.')} is of the unknown type ${type.name}`);
  return {
    path,
    kind,
    ...(isEnum && { members: type.name }),
    comparisons: [],
    isList: isListType(getNullableType(field.type)),
    meaning: plain(field.description),
    example: [],
  };
}

/** What an argument sorts by: its path, and the values that it takes. */
function sortsOf(argument) {
  const type = getNamedType(argument.type);
  if (argument.name === 'sorters') {
    const [, names] = /Fields: ([\w, ]+)\./.exec(argument.description) ?? [];
    if (names === undefined) throw new Error('the description of sorters names no fields');
    return names.split(', ').map((name) => ({ argument: argument.name, by: name, meaning: '' }));
  }
  if (argument.name !== 'sortBy' && argument.name !== 'personSortBy') return [];
  return type
    .getValues()
    .map(({ name, description }) => ({ argument: argument.name, by: name, meaning: plain(description) }));
}

function fieldsOf(type) {
  return Object.values(type.getFields()).map(({ name, type: fieldType, description }) => {
    const inner = getNamedType(fieldType);
    return {
      name,
      type: isEnumType(inner) ? 'String' : inner.name,
      ...(isEnumType(inner) && { members: inner.getValues().map((member) => member.name) }),
      isList: isListType(getNullableType(fieldType)),
      isNullable: fieldType === getNullableType(fieldType),
      meaning: plain(description),
      ...(isObjectType(inner) && { fields: fieldsOf(inner) }),
    };
  });
}

function membersOf(type) {
  return type.getValues().map(({ name, description }) => {
    // "Airlines (sector: Transportation & Logistics)."
    const named = /^(.+) \(sector: .+\)\.$/.exec(description);
    return named
      ? { member: name, label: named[1] }
      : { member: name, label: words(name), meaning: plain(description) };
  });
}

/** `FULL_DEAL` as a person reads it. */
function words(name) {
  const text = name.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const plain = (description) => description.replaceAll('`', '');
