// Which fields a query asks for, so that a page reads only the columns it needs and counts only when asked.
import {
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type SelectionNode,
} from 'graphql';
import type { Positions, RecordField } from './record-source.js';

type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>;
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;
type Fields = Readonly<Record<string, RecordField>>;

/** What a query selects of the records. */
export interface Selected {
  fields: readonly (readonly [name: string, field: RecordField, at: Positions])[];
  /** Columns that these fields are read from; the first ones of a row. */
  columns: readonly string[];
}

/** Whether the field is executed directly below, fragments expanded, @skip and @include honoured. */
export function isSelected(info: Info, name: string): boolean {
  const isIncluded = (node: SelectionNode) => !isExcluded(node, info.variableValues);
  return selectedBelow(info.fieldNodes, info.fragments, isIncluded).some((node) => node.name.value === name);
}

// Parsed documents are kept, so the same nodes come with many requests.
const selectedBefore = new WeakMap<FieldNode, Selected>();

/** What is selected of `edges.node`. @skip and @include are ignored here: a column too many does no harm. */
export function selectedFields(info: Info, fields: Fields): Selected {
  const [first] = info.fieldNodes;
  const isKept = info.fieldNodes.length === 1;
  const known = isKept && selectedBefore.get(first!);
  if (known) return known;
  const edges = namedBelow(info.fieldNodes, 'edges', info.fragments);
  const selected = fieldsBelow(namedBelow(edges, 'node', info.fragments), fields, info.fragments);
  if (isKept) selectedBefore.set(first!, selected);
  return selected;
}

function fieldsBelow(nodes: readonly FieldNode[], fields: Fields, fragments: Fragments): Selected {
  const selected = new Map<string, RecordField>();
  const columns = new Set<string>();
  const below = selectedBelow(nodes, fragments);
  for (const { name } of below) {
    const field = Object.hasOwn(fields, name.value) ? fields[name.value] : undefined;
    // __typename is no field of the record.
    if (!field || selected.has(name.value)) continue;
    selected.set(name.value, field);
    const own = below.filter((node) => node.name.value === name.value);
    const read = field.parts ? fieldsBelow(own, field.parts, fragments).columns : field.columns;
    for (const column of read) columns.add(column);
  }
  const positions = [...columns];
  const withPositions = ([name, field]: [string, RecordField]) =>
    [name, field, field.columns.map((column) => positions.indexOf(column))] as const;
  return { fields: [...selected].map(withPositions), columns: positions };
}

function namedBelow(nodes: readonly FieldNode[], name: string, fragments: Fragments): FieldNode[] {
  return selectedBelow(nodes, fragments).filter((node) => node.name.value === name);
}

/** The fields directly below all of the nodes, which are executed as one. As in graphql-js, a fragment counts once. */
function selectedBelow(
  nodes: readonly FieldNode[],
  fragments: Fragments,
  isIncluded: (node: SelectionNode) => boolean = () => true,
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
