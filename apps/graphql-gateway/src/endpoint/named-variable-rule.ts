// Filters travel only in a variable that has the name of its argument (data-api.md, Filter syntax 3; DECISIONS.md).
// Anything else is answered with HTTP 400 and INTERNAL_SERVER_ERROR, as users of this API know it, and with a message
// that shows the right request.
import { GraphQLError, Kind, type FieldNode, type ValueNode } from 'graphql';
import type { DataCall } from '../request/request-context.js';

/**
 * @param sent the variables as they were sent
 * @throws for the first argument that does not follow the rule.
 */
export function assertNamedVariables(
  { args, info, variableArguments }: DataCall,
  sent: Readonly<Record<string, unknown>> | undefined,
): void {
  // The nodes of one response key have the same arguments.
  const [node] = info.fieldNodes;
  for (const argument of node!.arguments ?? []) {
    const name = argument.name.value;
    if (!variableArguments.includes(name) || argument.value.kind === Kind.NULL) continue;
    const { value } = argument;
    if (value.kind !== Kind.VARIABLE)
      throw violation(node!, name, `a literal${holdsVariable(value) ? ' with a variable inside' : ''}`);
    if (value.name.value !== name) throw violation(node!, name, `the variable $${value.name.value}`);
    // A value that was not sent is the default of the operation, which is a literal.
    const isSent = sent !== undefined && Object.hasOwn(sent, name);
    if (!isSent && args[name] !== undefined && args[name] !== null) {
      throw violation(node!, name, 'the default value of a variable that was not sent');
    }
  }
}

const examples: Readonly<Record<string, { type: string; value: string }>> = {
  companiesConnection: {
    type: 'InputCompanySearchFilters',
    value: '{"industry": [{"values": ["Accounting"], "comparison": "IS_ANY_OF"}]}',
  },
  personsConnection: {
    type: 'InputPersonsSearchFilters',
    value: '{"skills": [{"values": ["Negotiation"], "comparison": "IS_ANY_OF"}]}',
  },
  dealsConnection: {
    type: 'InputDealSearchFilters',
    value: '{"type": [{"values": ["SPONSORSHIP"], "comparison": "IS_ANY_OF"}]}',
  },
  topMarkets: { type: '[InputTopMarketsFilter!]', value: '[{"values": ["Europe"], "comparison": "IS_ANY_OF"}]' },
  officeLocation: {
    type: '[InputOfficeLocationFilter!]',
    value: '[{"values": ["Europe"], "comparison": "IS_ANY_OF"}]',
  },
};

/** A request that is right. */
export function namedVariableExample(field: string, argument: string): string {
  const { type, value } = (examples[argument] ?? examples[field])!;
  return (
    `Example: query ($${argument}: ${type}) { ${field}(${argument}: $${argument}) { edges { node { id } } } } ` +
    `with the variables {"${argument}": ${value}}`
  );
}

function violation(node: FieldNode, argument: string, got: string): GraphQLError {
  const message =
    `${argument} must be passed as a GraphQL variable named exactly $${argument}, not as ${got}. ` +
    namedVariableExample(node.name.value, argument);
  return new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'INTERNAL_SERVER_ERROR', reason: 'FILTER_NOT_IN_NAMED_VARIABLE', http: { status: 400 } },
  });
}

/** Whether a value is a variable, or a literal with a variable inside. */
export function holdsVariable(node: ValueNode): boolean {
  switch (node.kind) {
    case Kind.VARIABLE:
      return true;
    case Kind.LIST:
      return node.values.some(holdsVariable);
    case Kind.OBJECT:
      return node.fields.some((field) => holdsVariable(field.value));
    default:
      return false;
  }
}
