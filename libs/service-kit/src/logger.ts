// The logger: JSON lines on standard output, with the id of the current request and masked secrets.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { errorText, loggedError } from './logged-error.js';
import { maskSecrets, maskText } from './mask-secrets.js';
import { traceIds } from './telemetry/trace-context.js';
import { isError } from './is-error.js';

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type --
   The class is the token, the interface its type: pino exports no class. */
/**
 * Injection token and type of the service's logger: a pino instance. Log objects, not sentences with values in them.
 */
export abstract class Logger {}
export interface Logger extends PinoLogger<never> {}
/* eslint-enable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type */

interface RequestContext {
  requestId: string;
}

/** Carries the request id to everything that a request calls. */
export const requestContext = new AsyncLocalStorage<RequestContext>();

/** Id of the request that the calling code serves; undefined outside one. */
function currentRequestId(): string | undefined {
  return requestContext.getStore()?.requestId;
}

export function createLogger(
  options: { service: string; version?: string; level: string },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, ...(options.version ? { version: options.version } : {}) },
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (entry: Record<string, unknown>) => maskSecrets(entry),
    },
    mixin: () => {
      const requestId = currentRequestId();
      return { ...(requestId === undefined ? {} : { request_id: requestId }), ...traceIds() };
    },
    serializers: { err: loggedError, error: loggedError },
    hooks: {
      logMethod(this: PinoLogger, args: unknown[], method: (...args: unknown[]) => void) {
        const [first] = args;
        // pino copies the message of an error as it is, and does not recognise errors of other realms.
        const bare = isError(first) ? first : errorIn(first);
        const given = args.length === 1 && bare ? [isError(first) ? { err: first } : first, errorText(bare)] : args;
        method.apply(
          this,
          given.map((arg) => (typeof arg === 'string' ? maskText(arg) : arg)),
        );
      },
    },
  };
  // The abstract class has the type of pino's logger.
  return destination ? pino(settings, destination) : pino(settings);
}

function errorIn(entry: unknown): Error | undefined {
  const { err } = (typeof entry === 'object' && entry !== null ? entry : {}) as { err?: unknown };
  return isError(err) ? err : undefined;
}
