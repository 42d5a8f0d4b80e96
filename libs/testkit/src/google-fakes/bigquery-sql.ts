// GoogleSQL to PostgreSQL and back, for the statements of this platform: quoted paths and names, named parameters, and
// the value encoding of BigQuery's answers.
import type pg from 'pg';

export interface QueryParameter {
  name: string;
  parameterType: { type: string };
  parameterValue?: { value?: string | null };
}

const parameterTypes: Record<string, string> = {
  STRING: 'text',
  INT64: 'bigint',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamptz',
};

export function postgresStatement(
  query: string,
  parameters: readonly QueryParameter[],
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const text = query
    .replace(/`([^`]+)`/g, (_match, path: string) => {
      const [name, dataset] = path.split('.').reverse();
      return dataset ? `"${dataset}"."${name}"` : `"${name}"`;
    })
    .replace(/@(\w+)/g, (_match, name: string) => {
      const known = places.get(name);
      if (known) return known;
      const parameter = parameters.find((each) => each.name === name);
      if (!parameter) throw new Error(`Query parameter '${name}' not found`);
      values.push(parameter.parameterValue?.value ?? null);
      const place = `$${values.length}::${parameterTypes[parameter.parameterType.type] ?? 'text'}`;
      places.set(name, place);
      return place;
    });
  return { text, values };
}

const fieldTypes: Record<number, string> = {
  16: 'BOOLEAN',
  20: 'INTEGER',
  23: 'INTEGER',
  1184: 'TIMESTAMP',
  3802: 'JSON',
};

/** Schema and rows as getQueryResults gives them; timestamps in microseconds, as the client asks. */
export function encodeResult(result: pg.QueryArrayResult): { schema: object; rows: object[] } {
  const types = result.fields.map(({ dataTypeID }) => fieldTypes[dataTypeID] ?? 'STRING');
  return {
    schema: { fields: result.fields.map(({ name }, index) => ({ name, type: types[index], mode: 'NULLABLE' })) },
    rows: result.rows.map((row: unknown[]) => ({
      f: row.map((value, index) => ({ v: encodeValue(value, types[index]!) })),
    })),
  };
}

function encodeValue(value: unknown, type: string): string | null {
  if (value === null) return null;
  if (value instanceof Date) return String(value.getTime() * 1000);
  return typeof value === 'string' && type !== 'JSON' ? value : JSON.stringify(value);
}
