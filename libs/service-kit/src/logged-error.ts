// What a log, a stored reason or an operator's screen says about an error. Drivers and parsers quote what users sent,
// in the message and in other fields. Of such errors only codes and names are kept. The stack says where it happened.
import { isError } from './is-error.js';
import { maskText } from './mask-secrets.js';

/** Fields that hold codes, names or numbers in every kind of error. */
const plainFields = [
  ...['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'status', 'statusCode', 'signal', 'retryable'],
  ...['severity', 'routine', 'schema', 'table', 'column', 'constraint', 'dataType'],
];
/** SQLSTATE classes whose messages are about the server, its connections, locks and resources. */
const serverStates = /^(?:08|25|28|3D|40|53|55|57|58)/;
/** Missing tables, columns, types, functions and rights, which our own statements name. */
const schemaStates = new Set(['42P01', '42703', '42704', '42883', '42501']);
/** Deadline, rights, resources, unavailable, unauthenticated: with these, a gRPC server does not quote the request. */
const serverStatuses = new Set([4, 7, 8, 14, 16]);
// Longer than any chain of causes worth reading. It also ends cycles.
const causesMax = 5;

/** With the codes and names among the fields of the error, and its causes. */
export interface LoggedError {
  type: string;
  message: string;
  stack: string;
}

/** One sentence without anything that a user sent. */
export function errorText(thrown: unknown): string {
  if (!isError(thrown)) return typeof thrown === 'string' ? maskText(thrown) : 'something that is no error was thrown';
  return maskText(messageOf(thrown));
}

/** The error for a log: type, sentence, codes, the places of its stack, and its causes. */
export function loggedError(thrown: Error, depth?: number): LoggedError;
export function loggedError(thrown: unknown, depth?: number): LoggedError | string;
export function loggedError(thrown: unknown, depth = 0): LoggedError | string {
  if (!isError(thrown)) return errorText(thrown);
  const error = thrown as Error & Record<string, unknown>;
  const { cause, errors } = error;
  const type = error.constructor?.name ?? error.name;
  const message = errorText(error);
  const fields = plainFields.flatMap((name) => {
    const value = error[name];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [];
  });
  const statement = statementName(error);
  const isShallow = depth < causesMax;
  return {
    type,
    message,
    ...(Object.fromEntries(fields) as object),
    ...(statement === undefined ? {} : { statement }),
    stack: [`${type}: ${message}`, ...stackPlaces(error)].join('\n'),
    ...(cause !== undefined && isShallow ? { cause: loggedError(cause, depth + 1) } : {}),
    // The errors of an AggregateError. Other libraries keep rows and answers under this name.
    ...(Array.isArray(errors) && errors.every(isError) && isShallow
      ? { errors: errors.slice(0, causesMax).map((one) => loggedError(one, depth + 1)) }
      : {}),
  };
}

function messageOf(error: Error): string {
  const { code, details, errors, originalError } = error as unknown as Record<string, unknown>;
  if (isDatabaseError(error)) {
    const state = code as string;
    return serverStates.test(state) || schemaStates.has(state) ? error.message : `PostgreSQL answered ${state}`;
  }
  // `Unexpected token 'x', "…the text…" is not valid JSON`, `Cannot convert … to a BigInt`.
  if (error.name === 'SyntaxError') return 'a text could not be parsed';
  if (error.message.startsWith('Failed to parse URL')) return 'a URL could not be parsed';
  if (error.name === 'GraphQLError') return isError(originalError) ? messageOf(originalError) : 'a GraphQL error';
  // Google's clients: refused rows come with their values.
  if (typeof details === 'string' && typeof code === 'number') {
    return serverStatuses.has(code) ? error.message : `gRPC status ${code}`;
  }
  if (Array.isArray(errors) && errors.length > 0 && !errors.some(isError)) {
    const reasons = new Set(errors.map((one) => (one as { reason?: unknown } | null)?.reason).filter(isWord));
    return `refused${reasons.size > 0 ? `: ${[...reasons].join(', ')}` : ''}`;
  }
  return error.message;
}

const statementStart =
  /^\s*((?:insert\s+into|delete\s+from|merge\s+into|update|copy|(?:create|alter|drop|lock)\s+\w+)\s+[\w."]{1,100}|\w+)/i;

/** Errors of pg, and TypeORM's around them. */
function isDatabaseError(error: Error): boolean {
  const { code, severity, routine, driverError } = error as unknown as Record<string, unknown>;
  if (isError(driverError) && driverError !== error) return isDatabaseError(driverError);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && [severity, routine].some(isWord);
}

/** The first words of the statement, such as `insert into profile_call`. Values may follow them. */
function statementName({ query }: Error & Record<string, unknown>): string | undefined {
  if (typeof query !== 'string') return undefined;
  return statementStart.exec(query)?.[1]?.replace(/\s+/g, ' ');
}

function stackPlaces(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^ {4}at .*(?::\d+:\d+\)?|\(<anonymous>\)|native\)?)$/.test(line));
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
