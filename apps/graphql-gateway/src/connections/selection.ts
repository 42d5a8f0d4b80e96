// Which fields a query asks for, so that a page reads only the columns it needs and counts only when asked.
import {
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>;
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/** Whether the field is executed directly below, fragments expanded, @skip and @include honoured. */
export function isSelected(info: Info, name: string): boolean {
  const isIncluded = (node: SelectionNode) => !isExcluded(node, info.variableValues);
  return info.fieldNodes.some((node) => contains(node.selectionSet, name, info.fragments, isIncluded));
}

// Parsed documents are cached by the server, so their nodes are good keys. @skip and @include are ignored here: a
// column too many does no harm.
const fieldsBelow = new WeakMap<FieldNode, readonly string[]>();

/** Names of the fields of `edges.node`. */
export function nodeFields(info: Info): readonly string[] {
  const [first] = info.fieldNodes;
  if (info.fieldNodes.length === 1 && first) {
    const known = fieldsBelow.get(first);
    if (known) return known;
  }
  const below = (nodes: readonly FieldNode[], name: string) =>
    nodes.flatMap((node) => fieldsOf(node.selectionSet, info.fragments)).filter((node) => node.name.value === name);
  const nodes = below(below(info.fieldNodes, 'edges'), 'node');
  const names = [
    ...new Set(nodes.flatMap((node) => fieldsOf(node.selectionSet, info.fragments)).map((node) => node.name.value)),
  ];
  if (info.fieldNodes.length === 1 && first) fieldsBelow.set(first, names);
  return names;
}

function fieldsOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return fieldsOf(node.selectionSet, fragments);
    return fieldsOf(fragments[node.name.value]?.selectionSet, fragments);
  });
}

function contains(
  selectionSet: SelectionSetNode | undefined,
  name: string,
  fragments: Fragments,
  isIncluded: (node: SelectionNode) => boolean,
): boolean {
  return (selectionSet?.selections ?? []).some((node) => {
    if (!isIncluded(node)) return false;
    if (node.kind === Kind.FIELD) return node.name.value === name;
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragments[node.name.value]?.selectionSet;
    return contains(inner, name, fragments, isIncluded);
  });
}

function isExcluded(node: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  return (node.directives ?? []).some((directive) => {
    const argument = directive.arguments?.find((each) => each.name.value === 'if')?.value;
    const value =
      argument?.kind === Kind.VARIABLE
        ? variables[argument.name.value]
        : argument?.kind === Kind.BOOLEAN
          ? argument.value
          : undefined;
    return (
      (directive.name.value === 'skip' && value === true) || (directive.name.value === 'include' && value === false)
    );
  });
}
