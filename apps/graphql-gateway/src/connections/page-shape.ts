// A page in the shape of a selection, straight from the cells of its rows: for operations that are asked again and again.
// What is selected is looked up once, when the operation is compiled. The result is the one that graphql-js makes of the
// same page. Objects for one JSON.stringify at the end: text put together field by field takes twice as long.
import {
  getNamedType,
  GraphQLID,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import type { Cell } from '../data-store/cells-query.js';
import { pageInfoOf, type Page } from './page.js';
import { fieldReader, type RecordSource } from './record-source.js';

export interface PageShape {
  /** Columns that the selected fields are read from. */
  columns: readonly string[];
  isCounted: boolean;
  /** The connection as it is answered; the rows of the page begin with the cells of `columns`. */
  shape: (page: Page) => unknown;
}

/** What a connection field of the schema is selected with. Directives must have been ruled out. */
export interface SelectedConnection {
  schema: GraphQLSchema;
  fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  type: GraphQLOutputType;
  nodes: readonly FieldNode[];
}

type Row = readonly Cell[];
/** Makes what is answered of a value of the page. */
type Make<Value> = (value: Value, page: Page) => unknown;

export function compileShape({ schema, fragments, type, nodes }: SelectedConnection, source: RecordSource): PageShape {
  const columns: string[] = [];

  /** Makes an object with the selected fields in their order. */
  function objectMaker<Value>(
    objectType: GraphQLObjectType,
    selectedBy: readonly FieldNode[],
    fieldMaker: (field: Field) => Make<Value>,
  ): Make<Value> {
    const selected = [...collectSubfields(schema, fragments, {}, objectType, selectedBy)].map(([key, below]) => {
      const name = below[0]!.name.value;
      // The document is valid: only __typename is no field of its type.
      const definition = objectType.getFields()[name];
      const make: Make<Value> = definition
        ? fieldMaker({ name, type: definition.type, nodes: below })
        : () => objectType.name;
      return { key, make };
    });
    return literalMaker(selected);
  }

  /** Completes a plain value by its type in the schema. */
  function valueMaker(valueType: GraphQLOutputType, selectedBy: readonly FieldNode[]): Make<unknown> {
    if (isNonNullType(valueType)) {
      const make = valueMaker(valueType.ofType, selectedBy);
      return (value, page) => {
        if (value === null || value === undefined) throw new Error(`a field of type ${String(valueType)} has no value`);
        return make(value, page);
      };
    }
    // Texts, as most values are, need no completion.
    if (valueType === GraphQLString || valueType === GraphQLID)
      return (value) =>
        typeof value === 'string' ? value : (value ?? null) === null ? null : valueType.serialize(value);
    const make = presentMaker(valueType, selectedBy);
    return (value, page) => (value === null || value === undefined ? null : make(value, page));
  }

  function presentMaker(valueType: GraphQLOutputType, selectedBy: readonly FieldNode[]): Make<unknown> {
    if (isLeafType(valueType)) return (value) => valueType.serialize(value);
    if (isListType(valueType)) {
      const make = valueMaker(valueType.ofType, selectedBy);
      return (values, page) => (values as readonly unknown[]).map((value) => make(value, page));
    }
    return objectMaker<unknown>(objectTypeOf(valueType), selectedBy, ({ name, type: fieldType, nodes: below }) => {
      const make = valueMaker(fieldType, below);
      return (value, page) => make((value as Record<string, unknown>)[name], page);
    });
  }

  const recordFieldOf =
    (fields: RecordSource['fields']) =>
    ({ name, type: fieldType, nodes: below }: Field): Make<Row> => {
      const field = fields[name]!;
      if (field.parts) return objectMaker(objectTypeOf(fieldType), below, recordFieldOf(field.parts));
      for (const column of field.columns) if (!columns.includes(column)) columns.push(column);
      const read = fieldReader(field, columns);
      const make = valueMaker(fieldType, below);
      return (row, page) => make(read(row, page.reading), page);
    };

  const edgeField = ({ name, type: fieldType, nodes: below }: Field): Make<Row> =>
    name === 'cursor'
      ? (row, page) => page.cursorOf(row)
      : objectMaker(objectTypeOf(fieldType), below, recordFieldOf(source.fields));

  let isCounted = false;
  const connectionField = ({ name, type: fieldType, nodes: below }: Field): Make<Page> => {
    if (name === 'edges') {
      const makeEdge = objectMaker(objectTypeOf(fieldType), below, edgeField);
      return (page) => page.rows.map((row) => makeEdge(row, page));
    }
    const make = valueMaker(fieldType, below);
    if (name === 'pageInfo') return (page) => make(pageInfoOf(page), page);
    isCounted = true;
    return (page) => make(page.totalCount, page);
  };

  const make = objectMaker(objectTypeOf(type), nodes, connectionField);
  return { columns, isCounted, shape: (page) => make(page, page) };
}

/**
 * The function that makes an object literal with these keys, each value by its own maker. It is generated, so that V8
 * knows the shape of the object and compiles the makers into it: a loop over them takes twice as long.
 */
function literalMaker<Value>(
  selected: readonly { key: string; make: Make<Value> }[],
): (value: Value, page: Page) => Record<string, unknown> {
  const fields = selected.map(({ key }, index) => `${JSON.stringify(key)}: make${index}(value, page)`);
  const parameters = selected.map((_, index) => `make${index}`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- keys are names of a valid document: letters, digits, underscores
  const generate = new Function(...parameters, `return (value, page) => ({ ${fields.join(', ')} });`) as (
    ...makers: Make<Value>[]
  ) => (value: Value, page: Page) => Record<string, unknown>;
  return generate(...selected.map(({ make }) => make));
}

interface Field {
  name: string;
  type: GraphQLOutputType;
  nodes: readonly FieldNode[];
}

function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType {
  const named = getNamedType(type);
  // The schema has neither interfaces nor unions.
  if (!isObjectType(named)) throw new Error(`${named.name} is no object type`);
  return named;
}
