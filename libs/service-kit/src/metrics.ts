import { createServer, type Server } from 'node:http';
import { totalmem } from 'node:os';
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

// Figures of the process exist once, even when a test starts several services.
let processRegistry: Registry | undefined;

/** Prometheus metrics of one service. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  /** Labels: method, route (the pattern, not the path) and status. Buckets in seconds. */
  readonly requestSeconds = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });
  /** Labels: route (the pattern). Counted in `requestSeconds` as well, with status 503. */
  readonly refusedRequests = new Counter({
    name: 'http_server_requests_refused_total',
    help: 'Requests answered with 503 because as many of their route were under way as may be',
    labelNames: ['route'],
    registers: [this.registry],
  });
  /** Labels: name, and whether the service is useless without it. Set by the readiness probes. */
  readonly dependencyUp = new Gauge({
    name: 'dependency_up',
    help: 'Whether a dependency of the service answers (1) or not (0)',
    labelNames: ['name', 'essential'],
    registers: [this.registry],
  });
  private readonly updates: (() => Promise<void>)[] = [];

  /** Runs before each scrape. It must not throw: a failure would cost all figures. */
  beforeScrape(update: () => Promise<void>): void {
    this.updates.push(update);
  }

  async text(): Promise<string> {
    await Promise.all(this.updates.map((update) => update()));
    if (!processRegistry) {
      processRegistry = new Registry();
      collectDefaultMetrics({ register: processRegistry });
      new Gauge({
        name: 'process_memory_limit_bytes',
        help: 'Memory that the process may take: the limit of its container, or all that the machine has',
        registers: [processRegistry],
      }).set(memoryLimitBytes());
    }
    return Registry.merge([processRegistry, this.registry]).metrics();
  }
}

/** Without a limit the system reports 0, or more than all memory. */
function memoryLimitBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Serves `GET /metrics` and nothing else, on a port of its own that is never public. */
export async function startMetricsServer(metrics: Metrics, address: { host: string; port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      // A collector of the app threw. Prometheus reports scrapes that fail.
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  // Scrapers keep connections open; they must not keep the process alive.
  server.unref();
  return server;
}
