import type { LoggerService } from '@nestjs/common';
import { errorText } from './logged-error.js';
import type { Logger } from './logger.js';

/** Nest's own messages in the service's log. Those of its start are only useful for debugging. */
export function nestLogger(logger: Logger): LoggerService {
  const context = (rest: unknown[]) => ({ context: rest.at(-1) });
  return {
    log: (message: unknown, ...rest: unknown[]) => logger.debug(context(rest), String(message)),
    debug: (message: unknown, ...rest: unknown[]) => logger.debug(context(rest), String(message)),
    verbose: (message: unknown, ...rest: unknown[]) => logger.trace(context(rest), String(message)),
    warn: (message: unknown, ...rest: unknown[]) => logger.warn(context(rest), String(message)),
    error: (message: unknown, ...rest: unknown[]) =>
      logger.error(
        { ...context(rest), ...(message instanceof Error ? { err: message } : { detail: rest[0] }) },
        message instanceof Error ? errorText(message) : String(message),
      ),
    fatal: (message: unknown, ...rest: unknown[]) => logger.fatal(context(rest), String(message)),
  };
}
