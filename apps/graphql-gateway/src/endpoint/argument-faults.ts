// Faults in arguments that validation cannot see, because they depend on the values of variables. A nullable variable
// is null where null is not allowed, or makes an object too deep. The library graphql-js finds them when it executes
// the field. That is after the charge, and looks like a fault of the gateway.
import {
  getArgumentValues,
  GraphQLError,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DefinitionNode,
  type SelectionNode,
} from 'graphql';
import { userInputError } from '../request/graphql-errors.js';
import type { ResolvedOperation } from './compiled-operations.js';
import { isSkipped } from './root-fields.js';

/**
 * @param variables as the operation coerces them
 * @throws BAD_USER_INPUT for the first argument of an executed field or directive that its variables make wrong.
 */
export function assertArguments(
  { schema, document, operation }: ResolvedOperation,
  variables: Record<string, unknown>,
): void {
  if (!operation.variableDefinitions?.length) return;
  const executed = new Set<DefinitionNode>([operation]);
  const types = new TypeInfo(schema);
  const enter = (node: SelectionNode) => {
    if (isSkipped(node, variables)) return false;
    // The document is valid: the field and the fragment exist.
    if (node.kind === Kind.FIELD) getArgumentValues(types.getFieldDef()!, node, variables);
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const isSpread = (each: DefinitionNode) =>
        each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === node.name.value;
      executed.add(document.definitions.find(isSpread)!);
    }
    return undefined;
  };
  const visitor = visitWithTypeInfo(types, { Field: enter, InlineFragment: enter, FragmentSpread: enter });
  try {
    // The loop also reaches the fragments that are added meanwhile.
    for (const definition of executed) visit(definition, visitor);
  } catch (error) {
    throw error instanceof GraphQLError ? userInputError(error.message) : error;
  }
}
