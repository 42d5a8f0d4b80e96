// How much one GraphQL document may ask for. Every number is far above what the clients of this API need; together they
// keep the cost of parsing and validating a hostile document to a few milliseconds.
import {
  GraphQLError,
  Kind,
  type ASTVisitor,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** The longest useful query, every field of all four connections, has about 400; the introspection query about 250. */
export const tokensMax = 1500;
const depthMax = 12;
/** Introspection asks for types inside types: the usual query is 13 deep. */
const introspectionDepthMax = 20;
const aliasesMax = 15;
const rootFieldsMax = 10;
const directivesMax = 50;

/** Validation rule: depth, aliases, root fields and directives, fragments expanded. */
export const documentLimits: ValidationRule = (context: ValidationContext): ASTVisitor => {
  let aliases = 0;
  let directives = 0;
  return {
    Field(node) {
      if (node.alias && ++aliases === aliasesMax + 1) refuse(context, `at most ${aliasesMax} aliases`);
    },
    Directive() {
      if (++directives === directivesMax + 1) refuse(context, `at most ${directivesMax} directives`);
    },
    OperationDefinition(node) {
      const measured = measure(node.selectionSet, context, new Set());
      if (measured.fields > rootFieldsMax)
        refuse(context, `at most ${rootFieldsMax} fields at its root, got ${measured.fields}`);
      if (measured.depth > depthMax) refuse(context, `at most ${depthMax} levels, got ${measured.depth}`);
      if (measured.introspectionDepth > introspectionDepthMax)
        refuse(context, `at most ${introspectionDepthMax} levels of introspection`);
    },
  };
};

function refuse(context: ValidationContext, limit: string): void {
  context.reportError(
    new GraphQLError(`The query is too large: ${limit}`, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
  );
}

interface Size {
  /** Fields directly in the selection, those of fragments included. */
  fields: number;
  depth: number;
  introspectionDepth: number;
}

/** @param open fragments being expanded: a circle is another rule's error, and no reason to run for ever. */
function measure(
  selectionSet: SelectionSetNode | undefined,
  context: ValidationContext,
  open: ReadonlySet<string>,
): Size {
  const size: Size = { fields: 0, depth: 0, introspectionDepth: 0 };
  for (const node of selectionSet?.selections ?? []) {
    if (node.kind === Kind.FIELD) {
      const below = depthBelow(node.selectionSet, context, open);
      size.fields += 1;
      if (node.name.value.startsWith('__')) size.introspectionDepth = Math.max(size.introspectionDepth, below + 1);
      else size.depth = Math.max(size.depth, below + 1);
      continue;
    }
    const inner =
      node.kind === Kind.INLINE_FRAGMENT
        ? measure(node.selectionSet, context, open)
        : measureFragment(node.name.value, context, open);
    size.fields += inner.fields;
    size.depth = Math.max(size.depth, inner.depth);
    size.introspectionDepth = Math.max(size.introspectionDepth, inner.introspectionDepth);
  }
  return size;
}

function depthBelow(
  selectionSet: SelectionSetNode | undefined,
  context: ValidationContext,
  open: ReadonlySet<string>,
): number {
  const { depth, introspectionDepth } = measure(selectionSet, context, open);
  return Math.max(depth, introspectionDepth);
}

// Fragments used from many places are measured once for each document.
const fragmentSizes = new WeakMap<FragmentDefinitionNode, Size>();

function measureFragment(name: string, context: ValidationContext, open: ReadonlySet<string>): Size {
  const fragment = context.getFragment(name);
  if (!fragment || open.has(name)) return { fields: 0, depth: 0, introspectionDepth: 0 };
  const known = fragmentSizes.get(fragment);
  if (known) return known;
  const size = measure(fragment.selectionSet, context, new Set([...open, name]));
  fragmentSizes.set(fragment, size);
  return size;
}
