// Traces, sent to OTEL_EXPORTER_OTLP_ENDPOINT. Loaded only when that is set: the SDK costs start-up time and memory.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import type { ServiceConfig } from '../config/config-class.js';
import { maskText } from '../mask-secrets.js';

// With all retries. Spans that cannot be sent by then are lost. The last export is part of the ten seconds in which a
// service stops.
const exportTimeoutMs = 2000;

let stopping: (() => Promise<void>) | undefined;

/**
 * Starts tracing in this process, once. Returns a function that flushes and stops it; undefined without an endpoint.
 */
export async function startTelemetry(
  service: string,
  config: ServiceConfig,
): Promise<(() => Promise<void>) | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  // A process has one tracer, even when a test starts several services.
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
    // A collector that does not answer must not delay the stop of the service or make it fail.
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
        // Most traces would be those of probes.
        ignoreIncomingRequestHook: (request) => /^\/(health|ready|metrics)(\?|$)/.test(request.url ?? ''),
        // As in the log: no query, which may hold a code, a token or an e-mail address, and no token in the path.
        requestHook: (span, request) => {
          if (request instanceof IncomingMessage) {
            span.setAttributes({ 'url.path': pathOf(request.url), 'url.query': '' });
          } else {
            span.setAttribute('url.full', `${request.protocol}//${request.host}${pathOf(request.path)}`);
          }
        },
      }),
      // Otherwise background work would make a trace each time that it looks for work.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  // Instrumentation patches a module when it is loaded. These are loaded already, so they are patched here.
  const require = createRequire(import.meta.url);
  for (const name of ['http', 'https', 'pg']) require(name);
  subscribe('undici:request:create', addTraceHeaders);
}

const pathOf = (url = '') => maskText(url.split('?', 1)[0] ?? '');

/** Node's fetch does not use the http module, so its requests get their trace headers here. */
function addTraceHeaders(message: unknown): void {
  // The channel's documented message: {request} with addHeader.
  const { request } = message as { request: { addHeader(name: string, value: string): void } };
  propagation.inject(context.active(), request, { set: (carrier, name, value) => carrier.addHeader(name, value) });
}
