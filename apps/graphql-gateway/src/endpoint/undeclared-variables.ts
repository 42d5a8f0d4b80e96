// GraphQL ignores a variable that the operation does not declare. When a declared one is missing at the same time, its
// name is probably misspelt. The request would then cost a data call and answer another question, so it is refused.
import { Kind, type GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { userInputError } from '../request/graphql-errors.js';

/**
 * Names that may mean the cursor. The first page has no cursor: it is missing only beside an undeclared name like
 * these.
 */
const cursorLike = /after|cursor|page/i;
const shownMax = 5;

/**
 * @param executed the connection fields of one operation
 * @throws BAD_USER_INPUT for undeclared variables where a declared one without a default is missing.
 */
export function assertVariablesDeclared(
  executed: readonly GraphQLResolveInfo[],
  sent: Readonly<Record<string, unknown>> | undefined,
): void {
  if (!sent) return;
  const definitions = executed[0]?.operation.variableDefinitions ?? [];
  const undeclared = Object.keys(sent).filter(
    (name) => !definitions.some(({ variable }) => variable.name.value === name),
  );
  if (undeclared.length === 0) return;
  const cursors = new Set(executed.flatMap(cursorVariable));
  const missing = definitions
    .filter(({ variable, defaultValue }) => !defaultValue && !Object.hasOwn(sent, variable.name.value))
    .map(({ variable }) => variable.name.value)
    .filter((name) => !cursors.has(name) || undeclared.some((other) => cursorLike.test(other)));
  if (missing.length > 0) throw fault(undeclared, missing);
}

function cursorVariable({ fieldNodes }: GraphQLResolveInfo): string[] {
  return (fieldNodes[0]!.arguments ?? []).flatMap(({ name, value }) =>
    name.value === 'after' && value.kind === Kind.VARIABLE ? [value.name.value] : [],
  );
}

function fault(undeclared: readonly string[], missing: readonly string[]): GraphQLError {
  const list = (names: readonly string[], sign: string) =>
    names
      .slice(0, shownMax)
      .map((name) => `${sign}${name.slice(0, 100)}`)
      .join(', ');
  const example = missing.includes('searchFilters') ? 'searchFilters' : missing[0]!;
  return userInputError(
    `The operation does not declare the variable ${list(undeclared, '$')}, and ${list(missing, '$')}, ` +
      `which it declares, was not sent. Send the variables by the names declared, such as {"${example}": ...}; ` +
      'without a filter send null',
  );
}
