// Traces, sent to OTEL_EXPORTER_OTLP_ENDPOINT. Loaded only when that is set: the SDK costs start-up time and memory.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import type { ServiceConfig } from '../config/config-class.js';

// Tries again included: spans that cannot be sent by then are lost. The last sending is part of the ten seconds that a
// service has to end.
const exportTimeoutMs = 2000;

let stopping: (() => Promise<void>) | undefined;

/** Starts traces for this process, once. Returns what flushes and stops them; a service without an endpoint has none. */
export async function startTelemetry(
  service: string,
  config: ServiceConfig,
): Promise<(() => Promise<void>) | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  // One process has one tracer, however many services a test starts in it.
  if (stopping) return async () => undefined;
  const [
    sdk,
    { resourceFromAttributes },
    { AsyncLocalStorageContextManager },
    { W3CTraceContextPropagator },
    exporter,
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'tradewind',
      'service.version': config.SERVICE_VERSION,
      'deployment.environment.name': config.ENVIRONMENT,
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs }),
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  await instrument();
  stopping = async () => {
    unsubscribe('undici:request:create', addTraceHeaders);
    // A collector that is away must not hold up the end of the service, nor is its absence a failure of the service.
    await provider.shutdown().catch(() => undefined);
    stopping = undefined;
  };
  return stopping;
}

async function instrument(): Promise<void> {
  const [{ registerInstrumentations }, { HttpInstrumentation }, { PgInstrumentation }] = await Promise.all([
    import('@opentelemetry/instrumentation'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
  ]);
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        // Probes would be most of the traces.
        ignoreIncomingRequestHook: (request) => /^\/(health|ready|metrics)(\?|$)/.test(request.url ?? ''),
      }),
      // Spans without a parent would come from every background loop that looks for work.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  // Instrumentation patches a module when it is required; these are loaded already, and this patches them now.
  const require = createRequire(import.meta.url);
  for (const name of ['http', 'https', 'pg']) require(name);
  subscribe('undici:request:create', addTraceHeaders);
}

/** Node's fetch does not pass through the http module: its requests get their trace headers here. */
function addTraceHeaders(message: unknown): void {
  // The channel's documented message: {request} with addHeader.
  const { request } = message as { request: { addHeader(name: string, value: string): void } };
  propagation.inject(context.active(), request, { set: (carrier, name, value) => carrier.addHeader(name, value) });
}
