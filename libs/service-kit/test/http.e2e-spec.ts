import { totalmem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, startService, type RunningService } from '../src/index.js';
import { exampleService, type ExampleConfig } from './example-service.js';

describe('a service over the wire', () => {
  let running: RunningService<ExampleConfig>;
  const logLines: string[] = [];
  const get = (path: string, init?: RequestInit) => fetch(`${running.url}${path}`, init);
  const post = (path: string, body: string, contentType = 'application/json') =>
    get(path, { method: 'POST', body, headers: { 'content-type': contentType } });

  beforeAll(async () => {
    const logger = createLogger({ service: 'example', level: 'debug' }, { write: (line) => void logLines.push(line) });
    running = await startService(exampleService, {
      env: { ENVIRONMENT: 'dev', PORT: '0', BODY_LIMIT_BYTES: '1000' },
      logger,
    });
  });
  afterAll(() => running.close());

  it('keeps idle connections longer than the load balancer, and limits the time of a request', async () => {
    const server = running.app.getHttpServer();
    const { keepAliveTimeout, headersTimeout, requestTimeout } = server;
    expect({ keepAliveTimeout, headersTimeout, requestTimeout }).toEqual({
      keepAliveTimeout: 620_000,
      headersTimeout: 20_000,
      requestTimeout: 60_000,
    });
    expect((await get('/health')).headers.get('keep-alive')).toBe('timeout=620');
  });

  it('reports health with exactly the specified fields', async () => {
    const response = await get('/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'healthy', service: 'example', environment: 'dev' });
  });

  it('reports readiness', async () => {
    const response = await get('/ready');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ready', service: 'example', dependencies: {} });
  });

  it('serves metrics on their own port only', async () => {
    await get('/items/7');
    expect((await get('/metrics')).status).toBe(404);
    const text = await (await fetch(running.metricsUrl)).text();
    expect(text).toContain('route="/items/:id",status="200"');
    expect(text).toContain('process_cpu_seconds_total');
    const bytes = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(bytes('process_memory_limit_bytes')).toBeGreaterThan(bytes('process_resident_memory_bytes'));
    expect(bytes('process_memory_limit_bytes')).toBeLessThanOrEqual(totalmem());
  });

  it('answers an unknown path with 404, whatever its body is', async () => {
    for (const response of [
      await get('/nothing'),
      await post('/nothing', '{"broken'),
      await post('/nothing', 'x', 'text/plain'),
    ]) {
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: 'Not Found', statusCode: 404 });
    }
  });

  it('answers a wrong method with 405 and the allowed ones', async () => {
    const response = await get('/targets', { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await response.json()).toMatchObject({ error: 'Method Not Allowed', statusCode: 405 });
    const wrongOnPattern = await post('/items/7', '{}');
    expect(wrongOnPattern.status).toBe(405);
    expect(wrongOnPattern.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await post('/health', '{}')).status).toBe(405);
  });

  it('answers OPTIONS with the allowed methods and HEAD like GET without a body', async () => {
    const options = await get('/targets', { method: 'OPTIONS' });
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('POST, OPTIONS');
    const head = await get('/greeting', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
  });

  it('answers a malformed URL, an unknown method and an over-long parameter in the common shape', async () => {
    for (const [path, method, status] of [
      ['/items/%zz', 'GET', 400],
      ['/items/7', 'PROPFIND', 405],
      ['/nothing', 'PROPFIND', 404],
      [`/items/${'x'.repeat(600)}`, 'GET', 414],
    ] as const) {
      const response = await get(path, { method });
      expect({ path: path.slice(0, 20), status: response.status }).toEqual({ path: path.slice(0, 20), status });
      const body = (await response.json()) as Record<string, unknown>;
      expect(Object.keys(body).sort()).toEqual(['error', 'message', 'statusCode']);
      expect(body['statusCode']).toBe(status);
    }
  });

  it('answers malformed JSON with 400', async () => {
    for (const body of ['{"targets":', '', 'nul']) {
      const response = await post('/targets', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        message: expect.any(String),
        error: 'Bad Request',
        statusCode: 400,
      });
    }
  });

  it('answers a body over the limit with 413', async () => {
    const response = await post('/targets', JSON.stringify({ tags: 'x'.repeat(2000) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: 'Payload Too Large', statusCode: 413 });
  });

  it('answers another content type with 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const response = await post('/targets', 'targets=1', type);
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ error: 'Unsupported Media Type', statusCode: 415 });
    }
  });

  it('names every broken rule by the path of its field', async () => {
    const response = await post(
      '/targets',
      JSON.stringify({
        targets: [{ entity: 'X', count: 1.5 }, { entity: 'POST', count: 1, extra: 1 }, 3],
        tags: [1],
        more: 1,
      }),
    );
    expect(response.status).toBe(400);
    const body = (await response.json()) as { message: string[] };
    expect(body).toMatchObject({ error: 'Bad Request', statusCode: 400 });
    expect(body.message).toEqual(
      expect.arrayContaining([
        'targets.0.entity must be one of the following values: POST, PROFILE',
        'targets.0.count must be an integer number',
        'targets.1.extra should not exist',
        'tags: each value must be a string',
        'more should not exist',
      ]),
    );
    expect(body.message.some((message) => message.startsWith('targets'))).toBe(true);
  });

  it.each(['[]', '"text"', '3', 'null', '[{"targets":[]}]'])('refuses the body %s', async (body) => {
    const response = await post('/targets', body);
    expect(response.status).toBe(400);
    expect(Array.isArray(((await response.json()) as { message: unknown }).message)).toBe(true);
  });

  it('renders an expected failure with its public sentence only', async () => {
    const response = await get('/failure/expected');
    expect(response.status).toBe(502);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toEqual({
      message: 'The provider does not answer',
      error: 'Bad Gateway',
      statusCode: 502,
    });
  });

  it('hides an unexpected error and logs it once with its stack and request id', async () => {
    logLines.length = 0;
    const response = await get('/failure/other', { headers: { 'x-request-id': 'request-0815' } });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      message: 'Internal server error',
      error: 'Internal Server Error',
      statusCode: 500,
    });
    const errors = logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      request_id: 'request-0815',
      err: { message: 'select secret_column from hidden_table', stack: expect.stringContaining('example-service') },
    });
  });

  it('echoes a sane request id and replaces any other', async () => {
    const echoed = await get('/greeting', { headers: { 'x-request-id': 'request-4711' } });
    expect(echoed.headers.get('x-request-id')).toBe('request-4711');
    for (const id of ['x'.repeat(200), 'with blank and "quotes"']) {
      const response = await get('/nothing', { headers: { 'x-request-id': id } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('masks secrets in the log', async () => {
    logLines.length = 0;
    await get('/greeting');
    const log = logLines.join('');
    expect(log).toContain('greeting with Bearer ***');
    expect(log).toContain('"password":"***"');
    expect(log).not.toContain('hunter2');
  });
});
