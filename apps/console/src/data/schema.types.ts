// The form of schema.generated.ts: what can be asked of the data API.

export type EntityName = 'companies' | 'persons' | 'deals' | 'contacts';

export type Comparison =
  | 'IS'
  | 'IS_ANY_OF'
  | 'IS_NOT_ANY_OF'
  | 'IS_ALL_OF'
  | 'BETWEEN'
  | 'MORE_THAN'
  | 'MORE_OR_EQUALS_THAN'
  | 'LESS_THAN'
  | 'LESS_OR_EQUALS_THAN';

/** What a value of a filter is. */
export type ValueKind =
  'integer' | 'decimal' | 'money' | 'age' | 'date' | 'instant' | 'boolean' | 'text' | 'member' | 'name';

/** Where names come from, as `GET /names` of graphql-gateway calls it. */
export type Vocabulary = 'region' | 'country' | 'location' | 'skill' | 'language' | 'industry';

export interface FilterField {
  /** The argument of the connection, and the field in it unless the argument is the filter. */
  path: readonly string[];
  kind: ValueKind;
  /** The enumeration that a value of kind `member` is of. */
  members?: string;
  vocabulary?: Vocabulary;
  /** None: the filter is the value, or the list of values, and a record has one of them. */
  comparisons: readonly Comparison[];
  isList: boolean;
  meaning: string;
  example: readonly string[];
}

export interface SortField {
  argument: string;
  by: string;
  meaning: string;
}

export interface RecordField {
  name: string;
  /** Name of the GraphQL type; of an enum it is `String`. */
  type: string;
  /** Of an enum. */
  members?: readonly string[];
  isList: boolean;
  isNullable: boolean;
  meaning: string;
  /** Of an object. */
  fields?: readonly RecordField[];
}

export interface EntitySchema {
  connection: string;
  /** Name of the GraphQL type of a record. */
  record: string;
  /** GraphQL type of each argument. */
  argumentTypes: Readonly<Record<string, string>>;
  filters: readonly FilterField[];
  sorts: readonly SortField[];
  fields: readonly RecordField[];
}

export type Enumeration = readonly { member: string; label: string; meaning?: string }[];
