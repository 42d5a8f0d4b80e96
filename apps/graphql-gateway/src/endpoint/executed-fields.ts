// Which root fields an operation really executes: aliases and fragments expanded, @skip and @include honoured, equal
// response keys merged, exactly as graphql-js will execute it.
import {
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type DocumentNode,
  Kind,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';
import { compileVariables } from './variable-coercion.js';
import { variableFault } from './variable-faults.js';

export interface ExecutedField {
  /** Alias, or name. */
  responseKey: string;
  name: string;
  node: FieldNode;
  /** Arguments with variables filled in and defaults applied. */
  args: Record<string, unknown>;
}

export interface Operation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Readonly<Record<string, unknown>> | undefined;
}

/** @throws BAD_USER_INPUT when a variable has a wrong value. */
export function executedFields({ schema, document, operation, variables }: Operation): ExecutedField[] {
  const definitions = operation.variableDefinitions ?? [];
  // graphql-js ends at the first fault; what it is comes from here, in words made for callers.
  const coerced = getVariableValues(schema, definitions, variables ?? {}, { maxErrors: 0 });
  if (coerced.errors) throw variableFault(schema, definitions, variables ?? {});
  const fields = collectRootFields({ schema, document, operation }, coerced.coerced);
  return fields.map((field) => withArguments(field, coerced.coerced));
}

/**
 * The same for an operation that is asked again and again: whatever does not depend on its variables is done once.
 * @param fields its root fields; no directive may decide about them.
 */
export function compileExecutedFields(
  operation: Omit<Operation, 'variables'>,
  fields: readonly RootField[],
): (variables: Readonly<Record<string, unknown>>) => ExecutedField[] {
  const coerce = compileVariables(operation.schema, operation.operation.variableDefinitions ?? []);
  return (variables) => {
    const coerced = coerce(variables);
    if (!coerced) return executedFields({ ...operation, variables });
    return fields.map((field) => withArguments(field, coerced));
  };
}

export interface RootField {
  responseKey: string;
  /** All nodes of that key; they differ at most in what they select. */
  nodes: readonly [FieldNode, ...FieldNode[]];
  /** Undefined for __typename, __schema and __type. */
  definition: GraphQLField<unknown, unknown> | undefined;
}

/** @param coerced the variables that @skip and @include ask for */
export function collectRootFields(
  { schema, document, operation }: Omit<Operation, 'variables'>,
  coerced: Record<string, unknown>,
): RootField[] {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType) {
    throw new GraphQLError(`This API has no ${operation.operation} operations.`, {
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
    });
  }
  const fields = collectFields(schema, fragmentsOf(document), coerced, rootType, operation.selectionSet);
  return [...fields].map(([responseKey, found]) => {
    // A key is there because of a node.
    const nodes = found as [FieldNode, ...FieldNode[]];
    return { responseKey, nodes, definition: rootType.getFields()[nodes[0].name.value] };
  });
}

export function fragmentsOf(document: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

function withArguments({ responseKey, nodes, definition }: RootField, coerced: Record<string, unknown>): ExecutedField {
  const [node] = nodes;
  // __typename, __schema and __type have no arguments that anybody here asks about.
  const args = definition ? getArgumentValues(definition, node, coerced) : {};
  return { responseKey, name: node.name.value, node, args };
}
