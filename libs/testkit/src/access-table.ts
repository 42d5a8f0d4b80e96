// Who may do what, by enumeration: every route of a running app against every kind of caller.
import { testPool } from './test-pool.js';

/** How one kind of caller presents itself, and the group that an operation treats alike. */
export interface Caller<Group extends string> {
  group: Group;
  headers?: (request: { method: string; url: string }) => Record<string, string>;
  /** Fields that it adds to a form. */
  form?: Record<string, string>;
}

/** What a request names: a path without placeholders, and a body in JSON or as a form. */
interface Request {
  path?: string;
  body?: unknown;
  form?: Record<string, string>;
}

/** A row of an app's table. Its key is the route, such as `GET /runs/:run_id`. */
export interface Operation<Group extends string = string> extends Request {
  /** The status for each group of callers; one number is for everybody. */
  answers: number | Record<Group, number>;
  /** The same request about a thing that does not exist. Where the answer is a refusal, it must be the same. */
  unknown?: Request;
  /** How the address begins to which a redirect leads, for each group; empty where there is none. */
  leadsTo?: Record<Group, string>;
  /** Groups that may not find out either although their call is no refusal. */
  hiddenFrom?: readonly Group[];
  /** A table that refused calls may change. */
  mayChange?: string;
  /** Awaited before each call that is admitted. */
  ready?: () => Promise<unknown>;
}

export interface AccessCheck<Group extends string> {
  /** @property metricsUrl where the metrics are served, `http://127.0.0.1:5000/metrics` */
  running: { url: string; metricsUrl: string; routes: readonly string[] };
  /** A row for each route that the app serves. */
  operations: Record<string, Operation<Group>>;
  callers: Record<string, Caller<Group>>;
  /** Everything that a refused call must leave as it is, by name. */
  state: () => Promise<Record<string, unknown>>;
}

/** Bodies of a refusal: that of every service, that of OAuth, and a page. */
const refusalBodies = [
  /^\{"message":.*"error":.*"statusCode":\d+\}$/,
  /^\{"error":"\w+"(,"error_description":"[^"]*")?\}$/,
  /^<!doctype html>/i,
];

/**
 * What is wrong, one line each. Empty when every route has a row, every answer is as its row says, and refused calls
 * change nothing. Nor may a refusal depend on whether the thing exists. OPTIONS and HEAD of every route are checked as
 * well, and the port of the metrics, which must serve nothing else.
 */
export async function accessFaults<Group extends string>(check: AccessCheck<Group>): Promise<string[]> {
  const { running, operations } = check;
  const faults = [
    ...running.routes.filter((route) => !(route in operations)).map((route) => `${route} has no row`),
    ...Object.keys(operations)
      .filter((route) => !running.routes.includes(route))
      .map((route) => `${route} is not served`),
    ...(await faultsOfMetrics(check)),
    ...(await faultsOfOtherMethods(check)),
  ];
  for (const [route, operation] of Object.entries<Operation<Group>>(operations)) {
    const callersOf: Record<string, string[]> = {};
    for (const { name, fault } of await faultsOf(check, route, operation)) (callersOf[fault] ??= []).push(name);
    for (const [fault, names] of Object.entries(callersOf)) faults.push(`${route}, ${names.join(', ')}: ${fault}`);
  }
  return faults;
}

/** Whoever reaches the port of the metrics reads them, and nothing else; the port of the service does not have them. */
async function faultsOfMetrics<Group extends string>({ running, operations, callers }: AccessCheck<Group>) {
  const { origin, pathname } = new URL(running.metricsUrl);
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const expected = [
    ...methods.map((method) => ({ method, url: origin + pathname, status: /GET|HEAD/.test(method) ? 200 : 404 })),
    ...Object.entries<Operation<Group>>(operations).map(([route, { path }]) => {
      const [method = '', routePath = ''] = route.split(' ');
      return { method, url: origin + (path ?? routePath), status: 404 };
    }),
    { method: 'GET', url: running.url + pathname, status: 404 },
  ];
  const faults: string[] = [];
  for (const { name, caller } of oneOfEachGroup(callers)) {
    for (const { method, url, status } of expected) {
      const response = await fetch(url, { method, headers: caller.headers?.({ method, url }) ?? {} });
      await response.text();
      if (response.status !== status) faults.push(`${method} ${url}, ${name}: ${response.status}, not ${status}`);
    }
  }
  return faults;
}

/**
 * OPTIONS answers everybody alike, without a body. HEAD answers what the row of GET says, without a body, or is not
 * allowed. Neither changes anything when it is refused.
 */
async function faultsOfOtherMethods<Group extends string>(check: AccessCheck<Group>): Promise<string[]> {
  const { running, operations, callers, state } = check;
  const faults: string[] = [];
  const expect = async (method: string, route: string, { name, caller }: NamedCaller<Group>, statuses: number[]) => {
    const [, routePath] = route.split(' ');
    const { status, text } = await call(running.url, `${method} ${routePath}`, caller, {
      path: operations[route]?.path ?? routePath ?? '',
    });
    if (!statuses.includes(status)) faults.push(`${method} ${routePath}, ${name}: ${status}, not ${statuses.join()}`);
    if (text !== '') faults.push(`${method} ${routePath}, ${name}: ${text}`);
  };
  const paths = [...new Map(Object.keys(operations).map((route) => [route.split(' ')[1], route])).values()];
  const gets = Object.entries<Operation<Group>>(operations).filter(([route]) => route.startsWith('GET '));
  const heads = oneOfEachGroup(callers).flatMap((caller) =>
    gets.map(([route, { answers, ready }]) => ({
      ...{ route, caller, ready },
      answer: typeof answers === 'number' ? answers : answers[caller.caller.group],
    })),
  );
  const before = await state();
  for (const caller of oneOfEachGroup(callers)) {
    for (const route of paths) await expect('OPTIONS', route, caller, [204]);
  }
  for (const { route, caller, answer } of heads) if (answer >= 400) await expect('HEAD', route, caller, [answer, 405]);
  const after = await state();
  const mayChange = gets.map(([, operation]) => operation.mayChange);
  for (const name of changedBetween(before, after)) {
    if (!mayChange.includes(name)) faults.push(`${name} is changed by OPTIONS or by a refused HEAD`);
  }
  for (const { route, caller, answer, ready } of heads.filter((head) => head.answer < 400)) {
    await ready?.();
    await expect('HEAD', route, caller, [answer, 405]);
  }
  return faults;
}

interface NamedCaller<Group extends string> {
  name: string;
  caller: Caller<Group>;
}

function oneOfEachGroup<Group extends string>(callers: Record<string, Caller<Group>>): NamedCaller<Group>[] {
  const ofGroups = new Map<Group, NamedCaller<Group>>();
  for (const [name, caller] of Object.entries<Caller<Group>>(callers)) {
    if (!ofGroups.has(caller.group)) ofGroups.set(caller.group, { name, caller });
  }
  return [...ofGroups.values()];
}

/** The names of what differs. */
function changedBetween(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

async function faultsOf<Group extends string>(
  { running, callers, state }: AccessCheck<Group>,
  route: string,
  operation: Operation<Group>,
): Promise<{ name: string; fault: string }[]> {
  const faults: { name: string; fault: string }[] = [];
  const send = (caller: Caller<Group>, request: Request) => call(running.url, route, caller, request);
  const { answers } = operation;
  const rows = Object.entries<Caller<Group>>(callers).map(([name, caller]) => ({
    name,
    caller,
    expected: typeof answers === 'number' ? answers : answers[caller.group],
  }));
  const before = await state();
  const isAdmitted = ({ expected, caller }: (typeof rows)[number]) =>
    expected < 400 && !operation.hiddenFrom?.includes(caller.group);
  const isElsewhere = ({ group }: Caller<Group>, { location }: { location: string }) =>
    !location.startsWith(operation.leadsTo?.[group] ?? '');
  for (const { name, caller, expected } of rows.filter((row) => !isAdmitted(row))) {
    const answer = await send(caller, operation);
    if (answer.status !== expected) faults.push({ name, fault: `${answer.status}, not ${expected}: ${answer.text}` });
    else if (isElsewhere(caller, answer)) faults.push({ name, fault: `leads to ${answer.location}` });
    else if ((expected === 401 || expected === 403) && !refusalBodies.some((body) => body.test(answer.text)))
      faults.push({ name, fault: `the refusal reads ${answer.text}` });
    if (!operation.unknown) continue;
    const other = await send(caller, { ...operation, ...operation.unknown });
    const [shown, otherShown] = [answer, other].map(({ status, text }) => `${status} ${withoutIds(text, operation)}`);
    if (shown !== otherShown) faults.push({ name, fault: `reveals whether it exists: ${shown}, but ${otherShown}` });
  }
  const after = await state();
  for (const name of changedBetween(before, after)) {
    if (name !== operation.mayChange) faults.push({ name, fault: 'changed by refused calls' });
  }
  for (const { name, caller, expected } of rows.filter(isAdmitted)) {
    await operation.ready?.();
    const answer = await send(caller, operation);
    const { status, text, location } = answer;
    if (status !== expected) faults.push({ name, fault: `${status}, not ${expected}: ${text}` });
    else if (isElsewhere(caller, answer)) faults.push({ name, fault: `leads to ${location}` });
  }
  return faults;
}

async function call<Group extends string>(
  baseUrl: string,
  route: string,
  caller: Caller<Group>,
  { path, body, form }: Request,
): Promise<{ status: number; text: string; location: string }> {
  const [method = '', routePath = ''] = route.split(' ');
  const url = baseUrl + (path ?? routePath);
  const headers = { accept: 'application/json', ...caller.headers?.({ method, url }) };
  const content =
    body === undefined
      ? form && { body: new URLSearchParams({ ...form, ...caller.form }) }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, redirect: 'manual', headers, ...content });
  const location = response.headers.get('location') ?? '';
  return { status: response.status, text: await response.text(), location };
}

/** A refusal may repeat what the caller sent, but nothing else may differ. */
function withoutIds(text: string, { path, unknown }: Operation): string {
  const ids = [path, unknown?.path].flatMap((each) => each?.split('/') ?? []).filter((id) => id.length > 3);
  return ids.reduce((rest, id) => rest.replaceAll(id, '*'), text);
}

/**
 * A hash of the rows of each table of a database.
 * @param without tables that refused calls or background work may change
 */
export async function tableHashes(
  databaseUrl: string,
  without: readonly string[] = [],
): Promise<Record<string, string>> {
  const pool = testPool({ connectionString: databaseUrl, max: 1 });
  try {
    const { rows: tables } = await pool.query<{ name: string; table: string }>(
      `select tablename as name, format('%I.%I', schemaname, tablename) as table from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') and tablename <> all ($1)`,
      [without],
    );
    const hashes = tables.map(
      ({ table }) =>
        `select '${table}' as table, md5(coalesce(string_agg(t::text, '' order by t::text), '')) as hash from ${table} t`,
    );
    const { rows } = await pool.query<{ table: string; hash: string }>(hashes.join(' union all '));
    return Object.fromEntries(rows.map(({ table, hash }) => [table, hash]));
  } finally {
    await pool.end();
  }
}

interface OpenApiDocument {
  servers: unknown[];
  paths: Record<string, Record<string, { responses: Record<string, { content?: unknown }> }>>;
}

/** Every operation of the OpenAPI document, named as the route is, with the statuses that the document names. */
export async function servedOperations(url: string): Promise<Record<string, string>> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const served = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => {
      const bare = Object.entries(responses).filter(([, { content }]) => content === undefined);
      if (bare.length > 0) throw new Error(`${method} ${route} documents a status without its content`);
      return [
        `${method.toUpperCase()} ${route.replace(/\{(\w+)\}/g, ':$1')}`,
        Object.keys(responses).join(' '),
      ] as const;
    }),
  );
  return Object.fromEntries(served);
}

/** The POST operations that do not refuse a body nested 20,000 levels deep, each with what it answers instead. */
export async function takersOfDeepBodies(
  url: string,
  operations: Record<string, { path?: string }>,
): Promise<string[]> {
  const body = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
  const refusal =
    '400 {"message":["body must not be nested in more than 100 levels"],"error":"Bad Request","statusCode":400}';
  const answers = Object.entries(operations).map(async ([name, { path = name.split(' ')[1]! }]) => {
    if (!name.startsWith('POST ')) return [];
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const answer = `${response.status} ${await response.text()}`;
    return answer === refusal ? [] : [`${name}: ${answer}`];
  });
  return (await Promise.all(answers)).flat();
}
