// Which errors mean that the database does not answer, which a second try may avoid, and which may be the fault of the
// values written.
import { isError } from '../is-error.js';

const lostRaceStates = new Set([
  '40001', // serialization failure, on a standby also a conflict with recovery
  '40P01', // deadlock
]);
const unavailableStates = new Set([
  ...lostRaceStates,
  '53300', // too many connections
  '55P03', // a lock was not available in time
  '57014', // the statement ran out of time
  '57P01', // the administrator ended the connection
  '57P02', // the server crashed
  '57P03', // the server is starting up or shutting down
]);
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
// pg and TypeORM give these no code.
const unavailableTexts = [
  // The connection was lost in the middle of a transaction.
  'Query runner already released',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Driver not Connected',
  'Cannot use a pool after calling end on the pool',
];

/**
 * Whether a statement or transaction lost a race against another one. It has changed nothing, and may succeed when it
 * runs again.
 */
export function hasLostRace(thrown: unknown): boolean {
  // TypeORM gives its error the code of the driver's.
  const code = isError(thrown) ? (thrown as { code?: unknown }).code : undefined;
  return typeof code === 'string' && lostRaceStates.has(code);
}

/**
 * Whether an error of pg or TypeORM says that the database cannot do the work at the moment. It does not answer, has no
 * connection free, or other work was in the way for too long. Socket errors of other services do not reach this
 * function, because port implementations wrap them.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!isError(thrown)) return false;
  // TypeORM wraps the driver's error.
  const driverError = (thrown as { driverError?: unknown }).driverError;
  if (isError(driverError) && driverError !== thrown) return isDatabaseUnavailable(driverError);
  // Node tries every address of a name and reports them together.
  const { errors } = thrown as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isDatabaseUnavailable);
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string' && (unavailableStates.has(code) || code.startsWith('08') || unavailableCodes.has(code)))
    return true;
  return unavailableTexts.some((text) => thrown.message.includes(text));
}

/** Classes of SQLSTATE that values cause: cardinality, data exception, integrity, program limit exceeded. */
const dataClasses = new Set(['21', '22', '23', '54']);

/**
 * Whether the values written may have caused the error, so that other values could be stored. Either PostgreSQL refused
 * them, or JavaScript could not turn them into parameters.
 */
export function mayComeFromData(thrown: unknown): boolean {
  if (!isError(thrown)) return false;
  const driverError = (thrown as { driverError?: unknown }).driverError;
  if (isError(driverError) && driverError !== thrown) return mayComeFromData(driverError);
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string') return /^[0-9A-Z]{5}$/.test(code) && dataClasses.has(code.slice(0, 2));
  return ['RangeError', 'TypeError', 'URIError'].includes(thrown.name);
}
