// One trace across HTTP calls and the queue. Without telemetry none of this has an effect.
import { context, propagation, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { errorText } from '../logged-error.js';

const tracer = () => trace.getTracer('@tradewind/service-kit');

/** The current trace as message attributes (`traceparent`, `tracestate`); empty without one. */
export function traceAttributes(): Record<string, string> {
  const attributes: Record<string, string> = {};
  propagation.inject(context.active(), attributes);
  return attributes;
}

/** Runs work as a step of the current trace, or as the first step of a new one. */
export async function withSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return spanned(name, SpanKind.INTERNAL, context.active(), work);
}

/**
 * Runs the work for a message as part of the trace that its attributes name.
 * @param attributes as received, unchecked; without a usable `traceparent` the work stays in the current trace
 */
export async function withTraceFrom<T>(
  attributes: unknown,
  work: () => Promise<T>,
  name = 'process message',
): Promise<T> {
  const sender = propagation.extract(context.active(), attributes);
  return spanned(name, SpanKind.CONSUMER, sender, work);
}

async function spanned<T>(name: string, kind: SpanKind, parent: Context, work: () => Promise<T>): Promise<T> {
  return tracer().startActiveSpan(name, { kind }, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.recordException({ name: 'Error', message: errorText(error) });
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Ids of the current trace for a log line; empty without one. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Names the current server span after its route, since many paths are one operation. */
export function nameServerSpan(method: string, route: string): void {
  const span = trace.getActiveSpan();
  span?.updateName(`${method} ${route}`);
  span?.setAttribute('http.route', route);
}
