// How much one GraphQL document may ask for. The limits are checked before every other rule of validation, and before
// anything walks the selections. Some rules take time that grows with the square of a document. Fragments are expanded
// as graphql-js executes them: once in each selection. Every number is far above what the clients of this API need.
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  visit,
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** The longest useful query, every field of all four connections, has about 400; the introspection query about 250. */
export const tokensMax = 1500;
/** The longest useful query has about 3,000 characters; a deep indentation may double it, comments too. */
export const documentCharsMax = 16_384;
/** Fields and fragments, fragments expanded; the introspection query has about 200, that longest query about 300. */
export const selectionsMax = 1500;
/** Errors of one document that are looked for. Suggesting a member of a large enum takes milliseconds. */
export const validationErrorsMax = 5;
const depthMax = 12;
/** Introspection asks for types inside types: the usual query is 13 deep. */
const introspectionDepthMax = 20;
const aliasesMax = 15;
const rootFieldsMax = 10;
/** When one of several failed, the others would be done, and their answers lost. */
const mutationsMax = 1;
/** Fields of one name, or one alias, in one selection; clients that put fragments together repeat ids and names. */
const repeatsMax = 30;
/** Spreads of one fragment, written in one selection. */
const spreadsMax = 10;
const directivesMax = 50;
const directivesMaxPerNode = 5;
/** Lists and objects inside one another in an argument; a filter has four. */
const valueDepthMax = 10;
/** Aliases come back with every record, names of operations go into the audit log. */
const nameCharsMax = 200;

/** Validation rule: reports the first limit that the document exceeds. No other rule then looks at the document. */
export const documentLimits: ValidationRule = (context: ValidationContext): ASTVisitor => ({
  Document(document) {
    const { fault } = measureDocument(document);
    if (fault === null) return undefined;
    context.reportError(
      new GraphQLError(`The query is too large: ${fault}`, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
    );
    // Null deletes the node from the visit, so that the other rules do not see the document.
    return null;
  },
});

export interface DocumentMeasure {
  /** The limit that the document exceeds; null when it is within all of them. */
  fault: string | null;
  /** Selections looked at, at most one more than `selectionsMax`. */
  selections: number;
}

export function measureDocument(document: DocumentNode): DocumentMeasure {
  const measure = new Measure(document);
  try {
    measure.nodes();
    measure.selectionsOfAll();
  } catch (error) {
    if (!(error instanceof BeyondLimit)) throw error;
    return { fault: error.message, selections: measure.selections };
  }
  return { fault: null, selections: measure.selections };
}

class BeyondLimit extends Error {}

function assertWithin(max: number, value: number, limit: string): void {
  if (value > max) throw new BeyondLimit(`at most ${max} ${limit}`);
}

function assertFewSpreads({ selections }: SelectionSetNode): void {
  const spreads = new Map<string, number>();
  for (const node of selections) {
    if (node.kind !== Kind.FRAGMENT_SPREAD) continue;
    const count = (spreads.get(node.name.value) ?? 0) + 1;
    assertWithin(spreadsMax, count, 'spreads of one fragment in one selection');
    spreads.set(node.name.value, count);
  }
}

/** Where a selection is. */
interface Place {
  depth: number;
  /** Kind of the operation, in the selection at its root. */
  root?: OperationTypeNode;
  isIntrospection: boolean;
}

class Measure {
  selections = 0;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly reached = new Set<string>();

  constructor(private readonly document: DocumentNode) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
  }

  /** Limits on the document as it is written. */
  nodes(): void {
    let aliases = 0;
    let directives = 0;
    let valueDepth = 0;
    const enterValue = () => assertWithin(valueDepthMax, ++valueDepth, 'lists and objects inside one another');
    const leaveValue = () => {
      valueDepth -= 1;
    };
    visit(this.document, {
      enter: (node: ASTNode) => {
        if (node.kind === Kind.NAME) return assertWithin(nameCharsMax, node.value.length, 'characters in a name');
        if (node.kind === Kind.FIELD && node.alias) assertWithin(aliasesMax, ++aliases, 'aliases');
        if (node.kind === Kind.SELECTION_SET) assertFewSpreads(node);
        if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) enterValue();
        const own = 'directives' in node ? node.directives : undefined;
        if (!own || own.length === 0) return;
        assertWithin(directivesMaxPerNode, own.length, 'directives in one place');
        assertWithin(directivesMax, (directives += own.length), 'directives');
      },
      leave: (node: ASTNode) => {
        if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) leaveValue();
      },
    });
  }

  /** Limits on what its operations select; the fragments that none of them uses are validated as well. */
  selectionsOfAll(): void {
    for (const definition of this.document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      this.select([definition.selectionSet], { depth: 0, root: definition.operation, isIntrospection: false });
    }
    for (const [name, fragment] of this.fragments)
      if (!this.reached.has(name)) this.select([fragment.selectionSet], { depth: 0, isIntrospection: true });
  }

  /** @param sets selection sets that are executed as one. */
  private select(sets: readonly SelectionSetNode[], place: Place): void {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const set of sets) this.collect(set, fields, spread);
    if (fields.size === 0) return;
    const { depth, root, isIntrospection } = place;
    if (isIntrospection) assertWithin(introspectionDepthMax, depth + 1, 'levels of introspection');
    else assertWithin(depthMax, depth + 1, 'levels');
    if (root) {
      assertWithin(rootFieldsMax, [...fields.values()].flat().length, 'fields at its root');
      const names = [...fields.values()].map(([node]) => node!.name.value);
      assertWithin(1, names.filter((name) => name === '__schema').length, '__schema');
      if (root === OperationTypeNode.MUTATION) {
        const mutations = names.filter((name) => name !== '__typename');
        assertWithin(mutationsMax, mutations.length, 'mutation in an operation');
      }
    }
    for (const nodes of fields.values()) {
      assertWithin(repeatsMax, nodes.length, 'fields of one name in one selection');
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length === 0) continue;
      const name = nodes[0]!.name.value;
      const isInside = isIntrospection || (root !== undefined && name.startsWith('__'));
      // Each list of the schema once: under many names it would be answered many times.
      if (isIntrospection && nodes.some(({ alias }) => alias))
        throw new BeyondLimit('no aliases for the lists of introspection');
      this.select(below, { depth: depth + 1, isIntrospection: isInside });
    }
  }

  private collect(set: SelectionSetNode, fields: Map<string, FieldNode[]>, spread: Set<string>): void {
    for (const node of set.selections) {
      assertWithin(selectionsMax, ++this.selections, 'fields and fragments, with fragments expanded');
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const same = fields.get(key);
        if (same) same.push(node);
        else fields.set(key, [node]);
        continue;
      }
      if (node.kind === Kind.INLINE_FRAGMENT) {
        this.collect(node.selectionSet, fields, spread);
        continue;
      }
      const name = node.name.value;
      if (spread.has(name)) continue;
      spread.add(name);
      this.reached.add(name);
      const fragment = this.fragments.get(name);
      if (fragment) this.collect(fragment.selectionSet, fields, spread);
    }
  }
}
