import { text } from 'node:stream/consumers';
import type { INestApplicationContext } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import { addExamples } from './command-examples.js';
import { ConfigError, type ServiceConfig } from './config/config-class.js';
import type { Command, ServiceDefinition } from './define-service.js';
import { isError } from './is-error.js';
import { errorText, loggedError } from './logged-error.js';
import { OperatorError } from './operator-error.js';
import { isCommanderError, runBatch } from './run-batch.js';
import { openService, startService, type RunningService } from './start-service.js';

/**
 * What `main.ts` calls. Without arguments the service serves until SIGTERM or SIGINT. With arguments it runs an
 * operator command: `serve`, `migrate`, or one from the definition. A configuration with faults, or a start that fails,
 * is reported on standard error and ends the process with code 1.
 */
export async function runService<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    if (argv.length === 0 || (argv.length === 1 && argv[0] === 'serve')) await serve(service);
    else await runCommand(service, argv);
  } catch (error) {
    process.stderr.write(`${failureText(service.name, error)}\n`);
    process.exitCode = 1;
    // A failed start may leave connections open, which must not keep the process alive.
    setTimeout(() => process.exit(1), 1000).unref();
  }
}

async function serve<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  env: Environment = process.env,
): Promise<void> {
  const running = await startService(service, { env });
  stopOnSignal(running);
  logUnhandled(running);
  service.onServing?.();
}

/**
 * A rejection that nobody handles is a bug of one request, and is logged. After an exception that nobody catches the
 * state of the process is unknown, so it ends.
 */
function logUnhandled({ logger }: RunningService): void {
  process.on('unhandledRejection', (reason) =>
    logger.error({ err: reason }, 'a promise was rejected and nobody handled it'),
  );
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'nobody caught an exception: ending');
    process.exit(1);
  });
}

/**
 * On the first signal the service is not ready, serves until load balancers have noticed, and closes. The process ends
 * when everything is closed, after a time limit, or at the second signal.
 */
function stopOnSignal(running: RunningService): void {
  const { logger, config } = running;
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) {
      logger.warn({ signal }, 'second signal: ending at once');
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    isStopping = true;
    logger.info({ signal, drain_delay_ms: config.DRAIN_DELAY_MS }, 'stopping');
    running.drain();
    if (config.DRAIN_DELAY_MS === 0) stop(running);
    else setTimeout(() => stop(running), config.DRAIN_DELAY_MS);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function stop(running: RunningService): void {
  const { logger, config } = running;
  setTimeout(() => {
    logger.error({ timeout_ms: config.SHUTDOWN_TIMEOUT_MS }, 'stopping took too long: ending with work unfinished');
    process.exit(1);
  }, config.SHUTDOWN_TIMEOUT_MS).unref();
  running.close().then(
    () => {
      logger.info('stopped');
    },
    (error: unknown) => {
      logger.error({ err: error }, 'stopping failed');
      process.exitCode = 1;
    },
  );
}

async function runCommand<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  argv: readonly string[],
): Promise<void> {
  const { program, close } = await operatorCommands(service);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    // Commander has printed what it says, and ends without a fault after `--help`.
    if (!isCommanderError(error)) throw error;
    process.exitCode = error.exitCode;
  } finally {
    await close();
  }
}

type Environment = Record<string, string | undefined>;

/** Every operator command of a service. `close` closes what a command has opened. */
export async function operatorCommands<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  env: Environment = process.env,
): Promise<{ program: Command; close: () => Promise<void> }> {
  const { Command } = await import('commander');
  const program = new Command(`tradewind ${service.name}`).exitOverride();
  let opened: INestApplicationContext | undefined;
  program
    .command('serve')
    .description('serve until told to stop')
    .action(() => serve(service, env));
  if (service.migrate) {
    const migrate = service.migrate.bind(service);
    program
      .command('migrate')
      .description('bring the database up to date and end')
      .action(async () => {
        const config = new service.config(env);
        await migrate(config);
        await service.prepare?.(config);
      });
  }
  const batch = program.command('batch');
  addExamples(batch, 'batch < commands.jsonl')
    .description('run the commands on standard input in one process; a line is a JSON array of words: ["user","list"]')
    .action(async () => runBatch(program, await text(process.stdin)));
  // Commands print for people, so only warnings and errors are logged by default.
  const quietEnv = { ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'warn' };
  service.commands?.(program, async () => (opened ??= await openService(service, { env: quietEnv })));
  return { program, close: async () => opened?.close() };
}

function failureText(name: string, error: unknown): string {
  if (error instanceof ConfigError) return `${name} cannot start. ${error.message}`;
  // A failure that was expected is a sentence, not a stack.
  if (error instanceof ServiceError || error instanceof OperatorError) return `${name}: ${error.message}`;
  return `${name}: ${isError(error) ? loggedError(error).stack : errorText(error)}`;
}
