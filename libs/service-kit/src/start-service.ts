import 'reflect-metadata';
import type { AddressInfo, Socket } from 'node:net';
import type { Server } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Health } from '@tradewind/shared-types';
import { BackgroundWork } from './background-work.js';
import type { ServiceConfig } from './config/config-class.js';
import type { ServiceDefinition } from './define-service.js';
import { ErrorFilter } from './http/error-filter.js';
import { addProbes, createFastifyAdapter } from './http/fastify-adapter.js';
import { RouteTable } from './http/route-table.js';
import { secureTransport } from './http/secure-transport.js';
import { RequestValidationPipe } from './http/validation-pipe.js';
import { serviceModule, type KitParts } from './kit.module.js';
import { createLogger, type Logger } from './logger.js';
import { Metrics, startMetricsServer } from './metrics.js';
import { nestLogger } from './nest-logger.js';
import { serveFrontPage } from './pages/front-page.js';
import { ReadinessRegistry } from './readiness.js';
import { startTelemetry } from './telemetry/telemetry.js';

/**
 * When each part of a stop is over, of the time that the stop may take. The rest is for writing buffers and closing the
 * database, which happens even if requests or background work do not end.
 */
const stopShares = { requests: 0.7, background: 0.85 };

/** Pause between attempts to prepare a dependency that was away at the start, milliseconds. */
const prepareIntervalMs = 5000;

/**
 * Connections that may wait until this process takes them. With Node's 511, a burst of new connections was dropped by
 * the kernel, and the callers tried again after a second or more. Linux takes at most `net.core.somaxconn`, 4,096.
 */
const backlog = 4_096;

export interface StartOptions {
  /** The environment to read; that of the process by default. */
  env?: Record<string, string | undefined>;
  /** For tests that read the log. */
  logger?: Logger;
}

export interface RunningService<C extends ServiceConfig = ServiceConfig> {
  /** Where it listens, `http://127.0.0.1:4000`. */
  url: string;
  metricsUrl: string;
  app: NestFastifyApplication;
  config: C;
  logger: Logger;
  /** Every route that it serves, such as `GET /runs/:run_id`. */
  routes: readonly string[];
  /** The service goes on serving, but is not ready, and its responses ask clients to close their connections. */
  drain(): void;
  /** Accepts no more requests, finishes those it has, and closes what the app opened. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts a service in this process. Throws ConfigError with every fault of the configuration. */
export async function startService<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  options: StartOptions = {},
): Promise<RunningService<C>> {
  const parts = kitParts(service, options);
  const { config, logger, metrics, readiness, background } = parts;
  const stopTelemetry = await startTelemetry(service.name, config);
  announce(config, logger);
  if (config.MIGRATE_ON_START) {
    await service.migrate?.(config);
    await prepare(service, parts);
  }

  const routes = new RouteTable();
  const adapter = createFastifyAdapter(config, logger, metrics, routes);
  const app = await NestFactory.create<NestFastifyApplication>(await serviceModule(service, parts), adapter, {
    logger: nestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const connections = connectionsOf(adapter.getInstance());
  secureTransport(adapter.getInstance(), config, { isCalledInside: service.isCalledInside ?? true });
  if (service.frontPage) {
    serveFrontPage(adapter.getInstance(), {
      frontPage: service.frontPage(config),
      service: { name: service.name, version: config.SERVICE_VERSION, environment: config.ENVIRONMENT },
      serves: (path) => routes.methodsOf(path).includes('GET'),
    });
  }
  let metricsServer: Server | undefined;
  let closing: Promise<void> | undefined;
  let isDraining = false;
  const drain = () => {
    isDraining = true;
    readiness.stop();
  };
  // On the raw response, so that responses past Fastify have it too.
  adapter.getInstance().addHook('onRequest', (_request, reply, done) => {
    if (isDraining) reply.raw.setHeader('connection', 'close');
    done();
  });
  const close = () =>
    (closing ??= (async () => {
      drain();
      // Requests end first, since what they still write needs the rest of the app. Then Nest calls onModuleDestroy,
      // where background work ends, beforeApplicationShutdown, where buffers are written, and onApplicationShutdown,
      // which closes databases and clients.
      const stopMs = (share: number) => config.SHUTDOWN_TIMEOUT_MS * share;
      background.stopBy(performance.now() + stopMs(stopShares.background));
      const haveRequestsEnded = await endRequests(adapter.getInstance(), connections, stopMs(stopShares.requests));
      await app.close();
      await closeServer(metricsServer);
      await stopTelemetry?.();
      if (!haveRequestsEnded) throw new Error('requests did not end in time, and were cut off');
    })());
  try {
    app.useGlobalPipes(new RequestValidationPipe());
    app.useGlobalFilters(new ErrorFilter(logger));
    const health: Health = { status: 'healthy', service: service.name, environment: config.ENVIRONMENT };
    addProbes(adapter.getInstance(), { health: () => health, ready: () => readiness.check(service.name) });
    await service.configure?.(app, config);
    await app.listen({ port: config.PORT, host: config.HOST, backlog });
    metricsServer = await startMetricsServer(metrics, { host: config.HOST, port: config.METRICS_PORT });
    background.start();
  } catch (error) {
    await close().catch((closeError: unknown) =>
      logger.warn({ err: closeError }, 'closing after a failed start failed'),
    );
    throw error;
  }
  const url = urlOf(app.getHttpServer(), config.HOST);
  const metricsUrl = `${urlOf(metricsServer, config.HOST)}/metrics`;
  logger.info({ url, metrics_url: metricsUrl, environment: config.ENVIRONMENT }, 'service started');
  return { url, metricsUrl, app, config, logger, routes: routes.list(), drain, close };
}

/** The app without HTTP, for operator commands. The caller closes it. */
export async function openService<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  options: StartOptions = {},
): Promise<INestApplicationContext> {
  const parts = kitParts(service, options);
  return NestFactory.createApplicationContext(await serviceModule(service, parts), {
    logger: nestLogger(parts.logger),
    abortOnError: false,
  });
}

function kitParts<C extends ServiceConfig>(service: ServiceDefinition<C>, options: StartOptions): KitParts<C> {
  const config = new service.config(options.env ?? process.env);
  const logger =
    options.logger ?? createLogger({ service: service.name, version: config.SERVICE_VERSION, level: config.LOG_LEVEL });
  const metrics = new Metrics();
  return {
    config,
    logger,
    metrics,
    readiness: new ReadinessRegistry(metrics),
    background: new BackgroundWork(logger, metrics, config.SHUTDOWN_TIMEOUT_MS * stopShares.background),
  };
}

/** Sets up what can be set up now; background work goes on with the rest. */
async function prepare<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  { config, logger, background }: KitParts<C>,
): Promise<void> {
  try {
    await service.prepare?.(config);
    return;
  } catch (error) {
    logger.warn({ err: error }, 'a dependency is not prepared; the service starts without it and tries again');
  }
  const work = background.every({
    name: 'prepare',
    intervalMs: prepareIntervalMs,
    startsAfterMs: prepareIntervalMs,
    run: async () => {
      await service.prepare?.(config);
      logger.info('the dependency is prepared now');
      // Not awaited: it waits for this pass.
      void work.stop();
    },
  });
}

function announce(config: ServiceConfig, logger: Logger): void {
  if (config.developmentSettings.length === 0) return;
  logger.warn(
    { settings: config.developmentSettings },
    'settings have development values, which are unfit for production',
  );
}

function urlOf(server: Server, host: string): string {
  // A listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Every open connection from now on. */
function connectionsOf({ server }: FastifyInstance): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/**
 * Stops listening and waits for open requests. Clients keep idle connections open, which are closed meanwhile.
 * @returns whether all of them ended within this time; the connections of the others are closed
 */
async function endRequests(
  instance: FastifyInstance,
  connections: ReadonlySet<Socket>,
  timeoutMs: number,
): Promise<boolean> {
  const closeIdle = setInterval(() => {
    instance.server.closeIdleConnections();
    // To Node, a connection that was never used is not idle. Browsers and HTTP clients open some in advance.
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
  }, 50);
  let areEnded = true;
  const cutOff = setTimeout(() => {
    areEnded = false;
    instance.server.closeAllConnections();
  }, timeoutMs);
  try {
    await instance.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  }
  return areEnded;
}

async function closeServer(server: Server | undefined): Promise<void> {
  if (!server?.listening) return;
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
