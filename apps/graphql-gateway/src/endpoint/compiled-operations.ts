// graphql-jit compiles repeated operations on the connections, and executes them several times as fast as graphql-js.
// The answers are the same, but graphql-jit accepts some wrong variables, so graphql-js checks them first.
import {
  BREAK,
  isNonNullType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { holdsVariable } from './named-variable-rule.js';
import { rootFieldNames } from './root-fields.js';

/** A compiled operation takes up to 100 kB. */
const compiledMax = 300;
/** Selections, with a fragment counted for each of its spreads, because graphql-jit visits it at each of them. */
const writtenOutMax = 1500;

/**
 * The tables hold texts, numbers, flags and members of enums in the form of the answer (data-tables/README.md), so only
 * our own scalars are serialized. Checking each of the others would take a fifth of the time of a page of 50.
 */
const compilerOptions = { disableLeafSerialization: true, disablingCapturingStackErrors: true } as const;

export interface ResolvedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The text of the document. */
  source: string;
  /** As they were sent. */
  variables: Readonly<Record<string, unknown>> | undefined;
}

export interface CompiledOperation {
  fields: ReadonlySet<string>;
  query: CompiledQuery<Record<string, unknown>>['query'];
}

export class CompiledOperations {
  /** Apollo Server keeps parsed documents, so the same node comes with every request for it. */
  private readonly compiled = new LRUCache<OperationDefinitionNode, CompiledOperation>({ max: compiledMax });
  /** Operations that were answered once; false for those that are not compiled. */
  private readonly answered = new WeakMap<OperationDefinitionNode, boolean>();

  /** Undefined for what graphql-js executes. */
  find(operation: OperationDefinitionNode): CompiledOperation | undefined {
    return this.compiled.get(operation);
  }

  /**
   * Called after an answer without errors: what is refused, even for lack of units, is never compiled. An operation
   * that is asked only once is not worth compiling.
   */
  keep(resolved: ResolvedOperation): void {
    const { operation } = resolved;
    if (this.compiled.has(operation)) return;
    const mayCompile = this.answered.get(operation);
    if (mayCompile === undefined) this.answered.set(operation, true);
    else if (mayCompile && !this.compile(resolved)) this.answered.set(operation, false);
  }

  private compile({ schema, document, operation, source }: ResolvedOperation): CompiledOperation | undefined {
    // Directives may select other fields in each request, and objects written by graphql-jit cannot hold __proto__.
    if (operation.operation !== OperationTypeNode.QUERY || /@|__proto__/.test(source)) return undefined;
    if (hasUnfitVariable(schema, document, operation)) return undefined;
    const fields = rootFieldNames(document, operation, {});
    if ([...fields].every((name) => name.startsWith('__'))) return undefined;
    if (writtenOut(operation.selectionSet, document) > writtenOutMax) return undefined;
    const compiled = compileQuery<Record<string, unknown>>(schema, document, operation.name?.value, compilerOptions);
    if (!isCompiledQuery(compiled)) return undefined;
    const known = { fields, query: compiled.query };
    this.compiled.set(operation, known);
    return known;
  }
}

/**
 * Whether a variable is inside a list or an object that is written in the document, where graphql-jit loses it. Or
 * whether it may be null where null is not allowed, which only `assertArguments` finds.
 */
function hasUnfitVariable(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): boolean {
  const nullable = new Set(
    variableDefinitions
      .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  let found = false;
  const types = new TypeInfo(schema);
  const look = (value: ValueNode) => {
    found ||=
      value.kind === Kind.VARIABLE
        ? nullable.has(value.name.value) && isNonNullType(types.getInputType())
        : holdsVariable(value);
    return found ? BREAK : undefined;
  };
  visit(document, visitWithTypeInfo(types, { Variable: look, ListValue: look, ObjectValue: look }));
  return found;
}

function writtenOut(selectionSet: SelectionSetNode, { definitions }: DocumentNode): number {
  const sizes = new Map<string, number>();
  const sizeOfFragment = (name: string): number => {
    let size = sizes.get(name);
    if (size === undefined) {
      const fragment = definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name);
      // The document is valid: the fragment exists, and does not spread itself.
      size = sizeOf((fragment as FragmentDefinitionNode).selectionSet);
      sizes.set(name, size);
    }
    return size;
  };
  const sizeOf = ({ selections }: SelectionSetNode): number =>
    selections.reduce((size, node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return size + 1 + sizeOfFragment(node.name.value);
      return size + 1 + (node.selectionSet ? sizeOf(node.selectionSet) : 0);
    }, 0);
  return sizeOf(selectionSet);
}
