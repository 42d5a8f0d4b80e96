// Which fields a query asks for, so that a page reads only the columns it needs and counts only when asked.
import {
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type SelectionNode,
} from 'graphql';

type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>;
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/** Whether the field is executed directly below, fragments expanded, @skip and @include honoured. */
export function isSelected(info: Info, name: string): boolean {
  const isIncluded = (node: SelectionNode) => !isExcluded(node, info.variableValues);
  return selectedBelow(info.fieldNodes, info.fragments, isIncluded).some((node) => node.name.value === name);
}

// Parsed documents are cached by the server, so their nodes are good keys. @skip and @include are ignored here: a
// column too many does no harm.
const namesBelow = new WeakMap<FieldNode, readonly string[]>();

/** Names of the fields of `edges.node`. */
export function nodeFields(info: Info): readonly string[] {
  const [first] = info.fieldNodes;
  const isCacheable = info.fieldNodes.length === 1 && first;
  const known = isCacheable && namesBelow.get(first);
  if (known) return known;
  const below = (nodes: readonly FieldNode[]) => selectedBelow(nodes, info.fragments, () => true);
  const named = (nodes: readonly FieldNode[], name: string) => nodes.filter((node) => node.name.value === name);
  const nodes = named(below(named(below(info.fieldNodes), 'edges')), 'node');
  const names = [...new Set(below(nodes).map((node) => node.name.value))];
  if (isCacheable) namesBelow.set(first, names);
  return names;
}

/** The fields directly below all of the nodes, which are executed as one. As in graphql-js, a fragment counts once. */
function selectedBelow(
  nodes: readonly FieldNode[],
  fragments: Fragments,
  isIncluded: (node: SelectionNode) => boolean,
): FieldNode[] {
  const fields: FieldNode[] = [];
  const spread = new Set<string>();
  const collect = (selections: readonly SelectionNode[]): void => {
    for (const node of selections) {
      if (!isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet.selections);
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        collect(fragments[node.name.value]?.selectionSet.selections ?? []);
      }
    }
  };
  for (const { selectionSet } of nodes) collect(selectionSet?.selections ?? []);
  return fields;
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
