import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { configClass, createLogger, defineService, startService, type RunningService } from '../src/index.js';

/** Requests that wait in a handler until the test lets them go. */
const held: (() => void)[] = [];
const hold = () => new Promise<void>((resolve) => held.push(resolve));
const release = () => held.splice(0).forEach((resolve) => resolve());
/** Requests whose connection closed before they were answered. */
let abandoned = 0;
/** Requests whose headers have come. */
let begun = 0;
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

@Controller()
class HoldingController {
  @Get('held/:id')
  async held() {
    await hold();
    return {};
  }

  @Post('held')
  @HttpCode(200)
  async heldBody() {
    await hold();
    return {};
  }

  @Post('echo')
  @HttpCode(200)
  echo(@Body() body: Record<string, unknown>) {
    return body;
  }
}

@Module({ controllers: [HoldingController] })
class HoldingModule {}

const service = defineService({
  name: 'holding',
  config: class extends configClass({}) {},
  module: HoldingModule,
  configure: (app) => {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRequest', (_request, reply, done) => {
      begun += 1;
      reply.raw.once('close', () => (abandoned += reply.raw.writableEnded ? 0 : 1));
      done();
    });
    // As the gateway adds headers, which may fail.
    fastify.addHook('onSend', (request, _reply, _payload, done) => {
      if (request.headers['x-fails'] === undefined) done();
      else done(new Error('no headers'));
    });
    // As identity answers past Fastify.
    fastify.get('/raw', {
      onRequest: (_request, reply) => {
        reply.hijack();
        void hold().then(() => reply.raw.end('done'));
      },
      handler: () => undefined,
    });
  },
});

describe('a service with as many requests of a route as it may have', () => {
  const limit = 2;
  const logLines: string[] = [];
  let running: RunningService;
  const get = (path: string, init?: RequestInit) => fetch(`${running.url}${path}`, init);
  const untilHeld = (count: number) => until(() => held.length === count);

  beforeAll(async () => {
    const logger = createLogger({ service: 'holding', level: 'warn' }, { write: (line) => void logLines.push(line) });
    const env = { ENVIRONMENT: 'dev', PORT: '0', ROUTE_REQUESTS_MAX: String(limit) };
    running = await startService(service, { env, logger });
  });
  afterEach(release);
  afterAll(() => running.close());

  it.each(['/held/1', '/raw'])(
    'refuses one more at %s with 503 and Retry-After, and serves again at once',
    async (path) => {
      const open = [get(path), get(path)];
      await untilHeld(limit);
      const refused = await get(path);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(await refused.json()).toEqual({
        message: 'The service has too many requests at the moment; try again shortly',
        error: 'Service Unavailable',
        statusCode: 503,
      });
      release();
      for (const answer of await Promise.all(open)) expect(answer.status).toBe(200);
      const next = get(path);
      await untilHeld(1);
      release();
      expect((await next).status).toBe(200);
    },
  );

  it('serves its other routes and the probes meanwhile', async () => {
    const open = [get('/held/1'), get('/held/2')];
    await untilHeld(limit);
    expect((await get('/held/3')).status).toBe(503);
    const headers = { 'content-type': 'application/json' };
    expect((await get('/echo', { method: 'POST', headers, body: '{"a":1}' })).status).toBe(200);
    for (const path of ['/health', '/ready']) expect((await get(path)).status).toBe(200);
    release();
    await Promise.all(open);
  });

  it('counts a request whose client has gone until its work ends', async () => {
    const leaving = new AbortController();
    const open = [1, 2].map((id) => get(`/held/${id}`, { signal: leaving.signal }));
    await untilHeld(limit);
    leaving.abort();
    await Promise.allSettled(open);
    await until(() => abandoned === limit);
    expect((await get('/held/3')).status).toBe(503);
    release();
    const next = get('/held/4');
    await untilHeld(1);
    release();
    expect((await next).status).toBe(200);
  });

  it('counts such a request once, even if its answer fails', async () => {
    const leaving = new AbortController();
    const before = abandoned;
    const open = get('/held/1', { signal: leaving.signal, headers: { 'x-fails': 'yes' } });
    await untilHeld(1);
    leaving.abort();
    await expect(open).rejects.toThrow();
    await until(() => abandoned === before + 1);
    release();
    const others = Array.from({ length: limit + 1 }, (_, id) => get(`/held/${id}`));
    expect((await Promise.race(others)).status).toBe(503);
    release();
    await Promise.all(others);
  });

  it('gives no place to a request whose body has not come', async () => {
    const { port, hostname, host } = new URL(running.url);
    const sockets: Socket[] = [];
    for (let sender = 0; sender < 2 * limit; sender += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /echo HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{`,
      );
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const headers = { 'content-type': 'application/json' };
    expect((await get('/echo', { method: 'POST', headers, body: '{"a":1}' })).status).toBe(200);
    for (const socket of sockets) {
      socket.write('"a":1}');
      expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 200');
      socket.destroy();
    }
  });

  it('refuses bodies that come together beyond the limit', async () => {
    const { port, hostname, host } = new URL(running.url);
    const sockets = Array.from({ length: 2 * limit }, () => connect(Number(port), hostname));
    const head = `POST /held HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{`;
    const before = begun;
    for (const socket of sockets) socket.write(head);
    await until(() => begun === before + sockets.length);
    const answers = sockets.map(async (socket) => String((await once(socket, 'data'))[0]).split(' ', 2)[1]);
    for (const socket of sockets) socket.write('}');
    expect(await Promise.race(answers)).toBe('503');
    release();
    expect((await Promise.all(answers)).sort()).toEqual(['200', '200', '503', '503']);
    for (const socket of sockets) socket.destroy();
  });

  it('counts what it refuses by route, and logs that it does', async () => {
    const open = [get('/held/1'), get('/held/2')];
    await untilHeld(limit);
    await get('/held/3');
    release();
    await Promise.all(open);
    const text = await (await fetch(running.metricsUrl)).text();
    expect(text).toMatch(/^http_server_requests_refused_total\{route="\/held\/:id"\} [1-9]/m);
    // Several refusals in ten seconds are one line.
    const lines = logLines.filter((line) => line.includes('too many requests are under way'));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ limit, under_way: limit }),
    ]);
  });
});
