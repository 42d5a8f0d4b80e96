// Describes what is wrong with the variables of a request: the value as JSON and, for usual mistakes, the right
// request. The library graphql-js prints values as JavaScript, `{ foo: [[Object]] }`, and at full length.
import { comparisonMeant, filterExample, shown } from '@tradewind/filters';
import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  isNonNullType,
  typeFromAST,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { userInputError } from '../request/graphql-errors.js';

type Path = readonly (string | number)[];

/** Names of unknown fields are part of the message. */
const messageCharsMax = 1000;

/** The first fault. Call it only when there is one. */
export function variableFault(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  sent: Readonly<Record<string, unknown>>,
): GraphQLError {
  for (const definition of definitions) {
    const message = faultOf(schema, definition, sent);
    if (message !== undefined) return userInputError(message.slice(0, messageCharsMax));
  }
  throw new Error('the variables are as the operation declares them');
}

function faultOf(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  sent: Readonly<Record<string, unknown>>,
): string | undefined {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode);
  // The document is valid: every variable has an input type.
  if (!isInputType(type)) throw new Error(`$${name} has no input type`);
  if (!Object.hasOwn(sent, name)) {
    if (defaultValue || !isNonNullType(type)) return undefined;
    return `Variable "$${name}" of required type "${String(type)}" was not provided.`;
  }
  const value = sent[name];
  if (value === null && isNonNullType(type))
    return `Variable "$${name}" of non-null type "${String(type)}" must not be null.`;
  let message: string | undefined;
  try {
    coerceInputValue(value, type, (path, wrong, error) => {
      message = sentence(name, path, wrong, error.message);
      throw error;
    });
  } catch (error) {
    if (message === undefined) throw error;
  }
  return message;
}

function sentence(variable: string, path: Path, value: unknown, fault: string): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  const at = place === '' ? '' : ` at "${variable}${place}"`;
  const hint = hintOf([variable, ...path], value, fault);
  return `Variable "$${variable}" got invalid value ${shown(value)}${at}; ${asJson(fault, value)}${hint}`;
}

/** Scalars end their sentence with the value: `String cannot represent a non string value: { foo: [[Object]] }`. */
function asJson(fault: string, value: unknown): string {
  return fault.replace(
    /(cannot represent [\w -]*value): [\s\S]*$/,
    (_all, sayingSo: string) => `${sayingSo}: ${shown(value)}`,
  );
}

function hintOf(path: Path, value: unknown, fault: string): string {
  const names = path.filter((key) => typeof key === 'string');
  if (names.at(-1) === 'comparison') {
    const meant = comparisonMeant(value);
    return meant ? ` Use ${meant}.` : '';
  }
  const isNoFilter = /^Expected type "\w+Filter" to be an object/.test(fault);
  const hasNoValues = fault.startsWith('Field "values" of required type');
  if (!isNoFilter && !hasNoValues) return '';
  return ` A filter field takes a list of filters: ${filterExample(names.at(-1)!, isNoFilter ? value : undefined)}`;
}
