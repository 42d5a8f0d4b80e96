// Which root fields an operation really executes: aliases and fragments expanded, @skip and @include honoured, equal
// response keys merged, exactly as graphql-js will execute it.
import {
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type DocumentNode,
  Kind,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';

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
  const fields = collectFields(schema, fragments, coerced.coerced, rootType, operation.selectionSet);
  return [...fields].flatMap(([responseKey, nodes]) => {
    const node = nodes[0]!;
    const definition = rootType.getFields()[node.name.value];
    // __typename, __schema and __type have no arguments that anybody here asks about.
    if (!definition) return [{ responseKey, name: node.name.value, node, args: {} }];
    return [{ responseKey, name: node.name.value, node, args: getArgumentValues(definition, node, coerced.coerced) }];
  });
}

function withCode(error: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    extensions: { ...error.extensions, code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}
