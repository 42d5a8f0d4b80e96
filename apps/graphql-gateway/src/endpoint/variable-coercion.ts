// Variables of an operation that is asked again and again: what graphql-js makes of them, without looking up the types
// each time. Whether values are right is decided alike; what exactly is wrong is left for graphql-js to say.
import {
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';

type Values = Record<string, unknown>;
type Coerce = (value: unknown) => unknown;

/** What a value that its type does not allow becomes. */
const refused = Symbol('refused');

/** Makes the function that coerces the variables of an operation; it answers undefined when one has a wrong value. */
export function compileVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Readonly<Values>) => Values | undefined {
  const coercions = new Map<GraphQLInputType, Coerce>();
  const variables = definitions.map(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) throw new Error(`$${variable.name.value} has no input type`);
    return {
      name: variable.name.value,
      isRequired: isNonNullType(type),
      defaultValue: defaultValue && valueFromAST(defaultValue, type),
      coerce: coercionOf(type, coercions),
    };
  });
  return (sent) => {
    const coerced: Values = {};
    for (const { name, isRequired, defaultValue, coerce } of variables) {
      if (!Object.hasOwn(sent, name)) {
        if (defaultValue !== undefined) coerced[name] = defaultValue;
        else if (isRequired) return undefined;
        continue;
      }
      const value = coerce(sent[name]);
      if (value === refused) return undefined;
      coerced[name] = value;
    }
    return coerced;
  };
}

function coercionOf(type: GraphQLInputType, known: Map<GraphQLInputType, Coerce>): Coerce {
  let coercion = known.get(type);
  if (!coercion) {
    // An input type may hold itself.
    known.set(type, (value) => coercion!(value));
    coercion = makeCoercion(type, known);
    known.set(type, coercion);
  }
  return coercion;
}

function makeCoercion(type: GraphQLInputType, known: Map<GraphQLInputType, Coerce>): Coerce {
  if (isNonNullType(type)) {
    const coerce = coercionOf(type.ofType, known);
    return (value) => (value === null || value === undefined ? refused : coerce(value));
  }
  const coerce = isListType(type)
    ? listCoercion(coercionOf(type.ofType, known))
    : isInputObjectType(type)
      ? objectCoercion(
          Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => ({
            name,
            defaultValue,
            isRequired: isNonNullType(fieldType),
            coerce: coercionOf(fieldType, known),
          })),
        )
      : leafCoercion((value) => type.parseValue(value));
  return (value) => (value === null || value === undefined ? null : coerce(value));
}

function listCoercion(coerceItem: Coerce): Coerce {
  return (value) => {
    const items = Array.isArray(value) ? (value as unknown[]) : [value];
    const coerced: unknown[] = [];
    // No further than the first fault: of an unknown enum member each costs a search for similar ones.
    for (const item of items) {
      const result = coerceItem(item);
      if (result === refused) return refused;
      coerced.push(result);
    }
    return coerced;
  };
}

function objectCoercion(
  fields: readonly { name: string; defaultValue: unknown; isRequired: boolean; coerce: Coerce }[],
): Coerce {
  const names = new Set(fields.map(({ name }) => name));
  return (value) => {
    if (typeof value !== 'object' || Array.isArray(value)) return refused;
    const sent = value as Values;
    const coerced: Values = {};
    for (const { name, defaultValue, isRequired, coerce } of fields) {
      const given = sent[name];
      if (given === undefined) {
        if (defaultValue !== undefined) coerced[name] = defaultValue;
        else if (isRequired) return refused;
        continue;
      }
      const result = coerce(given);
      if (result === refused) return refused;
      coerced[name] = result;
    }
    for (const name of Object.keys(sent)) if (!names.has(name)) return refused;
    return coerced;
  };
}

function leafCoercion(parse: Coerce): Coerce {
  return (value) => {
    try {
      const parsed = parse(value);
      return parsed === undefined ? refused : parsed;
    } catch {
      return refused;
    }
  };
}
