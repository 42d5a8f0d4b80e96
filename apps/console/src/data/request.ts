// The GraphQL request for what was built, and the same for a shell and for TypeScript. Pure. No text holds a key.
import type { EntitySchema, RecordField } from './schema.types';

export interface DataRequest {
  /** Text of the document, as a person reads it. */
  query: string;
  variables: Readonly<Record<string, unknown>>;
}

/** `companiesConnection` is the operation `Companies`. */
const operationOf = ({ connection }: EntitySchema): string => {
  const name = connection.replace(/Connection$/, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** The fields by their names, in the order of the schema; all of them for none. */
export function chosenFields({ fields }: EntitySchema, names: readonly string[]): readonly RecordField[] {
  const chosen = fields.filter(({ name }) => names.includes(name));
  return chosen.length === 0 ? fields : chosen;
}

/**
 * A page of an entity. Filters are passed in variables of the names of their arguments, as the API wants it; the cursor
 * is in `$after`, so the document of each page is the same.
 */
export function requestFor(
  entity: EntitySchema,
  variables: Readonly<Record<string, unknown>>,
  fields: readonly RecordField[],
): DataRequest {
  const names = [...Object.keys(variables).filter((name) => name !== 'after'), 'after'];
  const declared = names.map((name) => `$${name}: ${entity.argumentTypes[name]}`).join(', ');
  const passed = names.map((name) => `${name}: $${name}`).join(', ');
  const query = `query ${operationOf(entity)}(${declared}) {
  ${entity.connection}(${passed}) {
    totalCount
    edges {
      node {
${selection(fields, '        ')}
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`;
  return { query, variables };
}

function selection(fields: readonly RecordField[], indent: string): string {
  return fields
    .map(({ name, fields: inner }) =>
      inner ? `${indent}${name} {\n${selection(inner, `${indent}  `)}\n${indent}}` : `${indent}${name}`,
    )
    .join('\n');
}

const lineCharsMax = 70;

/** JSON as a person writes it: what fits in a line is in one. */
export function jsonText(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = (partIndent: string) =>
    isList
      ? value.map((one) => jsonText(one, partIndent))
      : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonText(one, partIndent)}`);
  const inLine = isList ? `[${parts('').join(', ')}]` : `{ ${parts('').join(', ')} }`;
  if (parts('').length === 0) return isList ? '[]' : '{}';
  if (inLine.length <= lineCharsMax && !inLine.includes('\n')) return inLine;
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const lines = parts(inner).map((part) => `${inner}${part}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** For a shell with the key in `API_KEY`. */
export function curlText(url: string, { query, variables }: DataRequest): string {
  // No text of the document has a space that matters.
  const body = `{
  "query": ${JSON.stringify(query.replaceAll(/\s+/g, ' '))},
  "variables": ${JSON.stringify(variables)}
}`;
  return `curl -sS ${quoted(url)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll(`'`, `'\\''`)}'`;

/** A program for Node with the key in `API_KEY`; types of the record included. */
export function typescriptText(
  url: string,
  entity: EntitySchema,
  { query, variables }: DataRequest,
  fields: readonly RecordField[],
): string {
  const { connection, record } = entity;
  const name = connection.replace(/Connection$/, '');
  return `// Each page is one data call of your day. With Node 24: API_KEY=svc_... node ${name}.ts

const query = \`${query}\`;

const variables = ${jsonText(variables)};

interface ${record} {
${members(fields, '  ')}
}

interface Page {
  totalCount: number;
  edges: { node: ${record} }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Answer {
  data?: { ${connection}: Page } | null;
  errors?: { message: string }[];
  message?: string;
}

async function ${name}(after?: string): Promise<Page> {
  const response = await fetch(${JSON.stringify(url)}, {
    method: 'POST',
    headers: { authorization: \`Bearer \${process.env['API_KEY']}\`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { ...variables, after } }),
  });
  const { data, errors, message } = (await response.json()) as Answer;
  if (!data) throw new Error(errors?.[0]?.message ?? message ?? \`The data API answered \${response.status}\`);
  return data.${connection};
}

${name}().then(
  // For the next page: ${name}(pageInfo.endCursor)
  ({ totalCount, edges, pageInfo }) => {
    console.log(\`\${totalCount} found\`);
    for (const { node } of edges) console.log(node);
    if (pageInfo.hasNextPage) console.log('There is a next page.');
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
`;
}

const scalars: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  // Digits beyond 2^53.
  BigInteger: 'number | string',
};

function members(fields: readonly RecordField[], indent: string): string {
  return fields.map((field) => `${indent}${field.name}: ${typeOf(field, indent)};`).join('\n');
}

function typeOf({ type, members: values, isList, isNullable, fields }: RecordField, indent: string): string {
  const one = fields
    ? `{\n${members(fields, `${indent}  `)}\n${indent}}`
    : (values?.map((value) => `'${value}'`).join(' | ') ?? scalars[type] ?? 'unknown');
  const list = isList ? (one.includes(' | ') && !fields ? `(${one})[]` : `${one}[]`) : one;
  return isNullable ? `${list} | null` : list;
}
