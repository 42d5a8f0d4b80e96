// Two services and a message between them, seen by a collector of traces.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceProcesses, type ServiceProcess } from './service-process.js';

interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** OTLP: 2 server, 5 consumer. */
  kind: number;
}

interface OtlpBody {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

const loginId = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('traces', () => {
  const { start, killAll } = serviceProcesses();
  const spans: Span[] = [];
  let received = '';
  let collector: Server;
  let first: ServiceProcess;
  let second: ServiceProcess;

  beforeAll(async () => {
    collector = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received += body;
        for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpBody).resourceSpans) {
          const service = resource.attributes.find(({ key }) => key === 'service.version')?.value.stringValue ?? '';
          for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
        }
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    [first, second] = await Promise.all([
      start({ OTEL_EXPORTER_OTLP_ENDPOINT, SERVICE_VERSION: 'first' }),
      start({ OTEL_EXPORTER_OTLP_ENDPOINT, SERVICE_VERSION: 'second' }),
    ]);
  });
  afterAll(async () => {
    killAll();
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
  });

  it('connect calls and messages across services, and are sent before the process ends', async () => {
    await fetch(`${first.url}/relay?url=${encodeURIComponent(`${second.url}/greeting`)}`);
    const attributes = (await (await fetch(`${first.url}/publish`)).json()) as Record<string, string>;
    expect(attributes).toEqual({ traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) });
    const consumed = await fetch(`${second.url}/consume`, {
      method: 'POST',
      body: JSON.stringify(attributes),
      headers: { 'content-type': 'application/json' },
    });
    const { continued } = (await consumed.json()) as { continued: string };
    expect(continued.split('-')[1]).toBe(attributes['traceparent']!.split('-')[1]);
    await fetch(`${first.url}/health`);
    await fetch(`${first.url}/relay?url=${encodeURIComponent(`${second.url}/greeting?code=hidden-one`)}`);
    await fetch(`${first.url}/greeting?login_hint=hidden-two`);
    await fetch(`${first.url}/nowhere/${loginId}`);
    first.process.kill('SIGTERM');
    second.process.kill('SIGTERM');
    expect(await Promise.all([first.ended, second.ended])).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);

    for (const hidden of ['hidden-', loginId]) expect(received).not.toContain(hidden);
    expect(received).toContain('/nowhere/***');
    const span = (service: string, name: string) => {
      const found = spans.find((each) => each.service === service && each.name === name);
      if (!found) throw new Error(`no span ${name} of ${service} among ${spans.map((each) => each.name).join(', ')}`);
      return found;
    };
    const relay = span('first', 'GET /relay');
    const greeting = span('second', 'GET /greeting');
    expect(greeting.traceId).toBe(relay.traceId);
    expect(greeting.parentSpanId).toBe(relay.spanId);
    const publish = span('first', 'publish');
    expect(publish.parentSpanId).toBe(span('first', 'GET /publish').spanId);
    const process = span('second', 'process message');
    expect({ trace: process.traceId, parent: process.parentSpanId, kind: process.kind }).toEqual({
      trace: publish.traceId,
      parent: publish.spanId,
      kind: 5,
    });
    expect(spans.filter(({ name }) => name.includes('health'))).toEqual([]);
    const logged = first.log.find(({ message, path }) => message === 'request' && path === '/relay');
    expect(logged).toMatchObject({ trace_id: relay.traceId });
  });

  it('do not delay the stop of a service whose collector is away', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    await fetch(`${service.url}/greeting`);
    const stoppedAt = Date.now();
    service.process.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(Date.now() - stoppedAt).toBeLessThan(9000);
  });
});
