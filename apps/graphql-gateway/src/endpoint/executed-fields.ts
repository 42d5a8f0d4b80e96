// Which root fields an operation really executes: aliases and fragments expanded, @skip and @include honoured, equal
// response keys merged, exactly as graphql-js will execute it.
import {
  BREAK,
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
  visit,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';
import { compileVariables } from './variable-coercion.js';

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
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, { maxErrors: 20 });
  if (coerced.errors) throw withCode(coerced.errors[0]!);
  const fields = collectRootFields({ schema, document, operation }, coerced.coerced);
  return fields.map((field) => withArguments(field, coerced.coerced));
}

/** The same for an operation that is asked again and again: whatever does not depend on its variables is done once. */
export function compileExecutedFields(
  operation: Omit<Operation, 'variables'>,
): (variables: Readonly<Record<string, unknown>>) => ExecutedField[] {
  const { schema, document } = operation;
  const coerce = compileVariables(schema, operation.operation.variableDefinitions ?? []);
  const fixed = hasDirectives(document) ? undefined : collectRootFields(operation, {});
  return (variables) => {
    const coerced = coerce(variables);
    if (!coerced) return executedFields({ ...operation, variables });
    const fields = fixed ?? collectRootFields(operation, coerced);
    return fields.map((field) => withArguments(field, coerced));
  };
}

interface RootField {
  responseKey: string;
  node: FieldNode;
  definition: GraphQLField<unknown, unknown> | undefined;
}

function collectRootFields(
  { schema, document, operation }: Omit<Operation, 'variables'>,
  coerced: Record<string, unknown>,
): RootField[] {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType) {
    throw new GraphQLError(`This API has no ${operation.operation} operations`, {
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
    });
  }
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null) as Record<
    string,
    FragmentDefinitionNode
  >;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  const fields = collectFields(schema, fragments, coerced, rootType, operation.selectionSet);
  return [...fields].map(([responseKey, nodes]) => {
    const node = nodes[0]!;
    return { responseKey, node, definition: rootType.getFields()[node.name.value] };
  });
}

function withArguments({ responseKey, node, definition }: RootField, coerced: Record<string, unknown>): ExecutedField {
  // __typename, __schema and __type have no arguments that anybody here asks about.
  const args = definition ? getArgumentValues(definition, node, coerced) : {};
  return { responseKey, name: node.name.value, node, args };
}

/** Whether @skip or @include may decide which fields are executed. */
function hasDirectives(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Directive: () => {
      isFound = true;
      return BREAK;
    },
  });
  return isFound;
}

function withCode(error: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    extensions: { ...error.extensions, code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}
