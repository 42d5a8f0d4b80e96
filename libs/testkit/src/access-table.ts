// Who may do what, by enumeration: every operation of a running app against every kind of caller.

/**
 * How to call an operation. The key in a table is its name in the OpenAPI document, such as
 * `post /months/{month}/retry`.
 */
export interface Operation {
  /** The path without placeholders; that of the name unless given. */
  path?: string;
  body?: unknown;
}

export type Operations = Record<string, Operation>;

interface OpenApiDocument {
  servers: unknown[];
  paths: Record<string, Record<string, { responses: Record<string, { content?: unknown }> }>>;
}

/** Every operation that the running app serves, with the statuses that its OpenAPI document names. */
export async function servedOperations(url: string): Promise<Record<string, string>> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const served = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => {
      const bare = Object.entries(responses).filter(([, { content }]) => content === undefined);
      if (bare.length > 0) throw new Error(`${method} ${route} documents a status without its content`);
      return [`${method} ${route}`, Object.keys(responses).join(' ')] as const;
    }),
  );
  return Object.fromEntries(served);
}

export async function callOperation(
  url: string,
  [name, { path, body }]: readonly [string, Operation],
  headers: Record<string, string> = {},
): Promise<Response> {
  const [method, route] = name.split(' ') as [string, string];
  return fetch(url + (path ?? route), {
    method: method.toUpperCase(),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/**
 * The status that each operation answers each caller, one call after the other. Throws when a refusal (401 or 403) has
 * another body than `{message, error, statusCode}`.
 */
export async function accessTable<Caller extends string>(
  url: string,
  operations: Operations,
  callers: Record<Caller, Record<string, string>>,
): Promise<Record<string, Record<Caller, number>>> {
  const table: Record<string, Record<string, number>> = {};
  for (const operation of Object.entries(operations)) {
    const row: Record<string, number> = {};
    for (const [caller, headers] of Object.entries<Record<string, string>>(callers)) {
      const response = await callOperation(url, operation, headers);
      const text = await response.text();
      row[caller] = response.status;
      if (response.status !== 401 && response.status !== 403) continue;
      const fields = Object.keys(JSON.parse(text) as object).sort();
      if (fields.join() !== 'error,message,statusCode')
        throw new Error(`${operation[0]} refuses ${caller} with ${text}`);
    }
    table[operation[0]] = row;
  }
  return table;
}

/** The POST operations that do not refuse a body nested 20,000 levels deep, each with what it answers instead. */
export async function takersOfDeepBodies(url: string, operations: Operations): Promise<string[]> {
  const body = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
  const refusal =
    '400 {"message":["body must not be nested in more than 100 levels"],"error":"Bad Request","statusCode":400}';
  const answers = Object.entries(operations).map(async ([name, { path = name.split(' ')[1]! }]) => {
    if (!name.startsWith('post ')) return [];
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const answer = `${response.status} ${await response.text()}`;
    return answer === refusal ? [] : [`${name}: ${answer}`];
  });
  return (await Promise.all(answers)).flat();
}
