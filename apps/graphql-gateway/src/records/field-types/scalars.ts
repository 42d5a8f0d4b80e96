// The scalars that GraphQL lacks (DECISIONS.md, Commercial data).
import { dateOf, shown } from '@tradewind/filters';
import { isDeeperThan } from '@tradewind/service-kit';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** Integers past 2^31: a number while JavaScript holds it exactly, a digit string beyond. */
export const BigInteger = new GraphQLScalarType<number | string, number | string>({
  name: 'BigInteger',
  description:
    'A 64-bit integer. Sent as a JSON number or as a string of digits, for example 9000000000 or "9000000000"; answered as a number up to 2^53 - 1 and as a string of digits beyond.',
  serialize: (value) => exactInteger(value),
  parseValue: (value) => exactInteger(value),
  parseLiteral: (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.STRING) return exactInteger(node.value);
    throw new GraphQLError('BigInteger must be an integer or a string of digits', { nodes: node });
  },
});

/** Levels of a JSONObject; filters, the deepest, have four. */
const jsonLevelsMax = 10;

/** An object that the schema does not describe further. */
export const JSONObject = new GraphQLScalarType<Record<string, unknown>>({
  name: 'JSONObject',
  description: `A JSON object of at most ${jsonLevelsMax} levels, for example {"field": "announcedDate", "direction": "DESC"}.`,
  serialize: (value) => value as Record<string, unknown>,
  parseValue: (value) => plainObject(value),
  parseLiteral: (node, variables) => plainObject(literalValue(node, variables ?? {})),
});

/** An instant. */
export const Timestamp = new GraphQLScalarType<Date, string>({
  name: 'Timestamp',
  description:
    'An instant: ISO 8601 text with a time zone, for example "2026-11-01T08:00:00.000Z", or milliseconds since 1970 as a number.',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: (value) => instant(value),
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return instant(node.value);
    if (node.kind === Kind.INT) return instant(Number(node.value));
    throw new GraphQLError('Timestamp must be ISO 8601 text or milliseconds', { nodes: node });
  },
});

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

function exactInteger(value: unknown): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,19}$/.test(value))) {
    const exact = BigInt(value);
    if (exact >= int64Min && exact <= int64Max)
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact);
  }
  throw new GraphQLError(`BigInteger must be a whole number of 64 bits or a string of its digits, not ${shown(value)}`);
}

function plainObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GraphQLError(`JSONObject must be an object, not ${shown(value)}`);
  if (isDeeperThan(value, jsonLevelsMax))
    throw new GraphQLError(`JSONObject must not be nested in more than ${jsonLevelsMax} levels`);
  return value as Record<string, unknown>;
}

const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

function instant(value: unknown): Date {
  // Date takes February 30 for March 2.
  const isText = typeof value === 'string' && isoInstant.test(value) && dateOf(value.slice(0, 10)) !== undefined;
  const date = isText || Number.isSafeInteger(value) ? new Date(value as string | number) : new Date(NaN);
  // PostgreSQL holds no instant outside the years 0001 to 9999 that this text form can name.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) {
    throw new GraphQLError(
      `Timestamp must be ISO 8601 text with a time zone or milliseconds since 1970, not ${shown(value)}`,
    );
  }
  return date;
}

function literalValue(node: ValueNode, variables: Record<string, unknown>): unknown {
  switch (node.kind) {
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, literalValue(field.value, variables)]));
    case Kind.LIST:
      return node.values.map((value) => literalValue(value, variables));
    case Kind.VARIABLE:
      return variables[node.name.value];
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
  }
}
