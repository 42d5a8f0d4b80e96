// What bodies a service reads, seen over the wire.
import { request as httpRequest } from 'node:http';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startService, type RunningService } from '../src/index.js';
import { exampleService } from './example-service.js';

describe('request bodies', () => {
  let running: RunningService;
  const limitBytes = 1_048_576;
  const valid = { targets: [{ entity: 'POST', count: 1 }] };
  const post = (body: string | Buffer, headers: Record<string, string> = {}, path = '/targets') =>
    fetch(`${running.url}${path}`, {
      method: 'POST',
      body: new Blob([body]),
      headers: { 'content-type': 'application/json', ...headers },
    });

  beforeAll(async () => {
    running = await startService(exampleService, { env: { ENVIRONMENT: 'dev', PORT: '0', LOG_LEVEL: 'silent' } });
  });
  afterAll(() => running.close());

  it.each([
    ['a list', '[', '', ']'],
    ['objects', '{"targets":', '1', '}'],
    ['the value of a field', '{"a":[', '', ']}'],
    ['lists in a list of targets', '[{"targets":[', '', ']}]'],
  ])(
    'nested in %s without end are 400 and name the limit, with and without a DTO',
    async (_kind, open, core, close) => {
      for (const path of ['/targets', '/consume']) {
        for (const levels of [60, 2_000, 20_000]) {
          const isDeep = levels * (open.match(/[[{]/g)?.length ?? 0) > 100;
          const response = await post(open.repeat(levels) + core + close.repeat(levels), {}, path);
          const { message, ...rest } = (await response.json()) as { message: string[] };
          expect(response.status).toBe(path === '/consume' && !isDeep ? 200 : 400);
          if (!isDeep) continue;
          expect(rest).toEqual({ error: 'Bad Request', statusCode: 400 });
          expect(message).toEqual(['body must not be nested in more than 100 levels']);
        }
      }
    },
  );

  it.each([
    ['fields', () => Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`k${index}`, 1]))],
    ['list entries', () => ({ targets: Array.from({ length: 5_001 }, () => ({})) })],
  ])('refuse too many %s with one sentence, before their rules are checked', async (_kind, body) => {
    const response = await post(JSON.stringify(body()));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: ['body must not have more than 5000 fields and list entries'],
      error: 'Bad Request',
      statusCode: 400,
    });
    const many = { targets: Array.from({ length: 1_000 }, () => ({ entity: 'POST', count: 1 })) };
    expect((await post(JSON.stringify(many))).status).toBe(200);
  });

  it.each([
    ['fields', () => Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`k${index}`, 1]))],
    ['list entries', () => ({ targets: Array.from({ length: 20_001 }, () => 1) })],
  ])('refuse far too many %s before they are parsed, with and without a DTO', async (_kind, make) => {
    const body = JSON.stringify(make());
    const parse = jest.spyOn(JSON, 'parse');
    for (const path of ['/targets', '/consume']) {
      const response = await post(body, {}, path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        message: ['body must not have more than 20000 fields and list entries'],
      });
    }
    expect(parse).not.toHaveBeenCalledWith(body);
    parse.mockRestore();
    expect((await post(JSON.stringify({ a: Array.from({ length: 19_000 }, () => 1) }), {}, '/consume')).status).toBe(
      200,
    );
  });

  it('accepts a byte order mark, and names an empty body as the fault', async () => {
    expect((await post(`\ufeff${JSON.stringify(valid)}`)).status).toBe(200);
    expect(await (await post('')).json()).toMatchObject({ message: 'The body is empty; JSON was announced' });
    expect(await (await post('{"a"')).json()).toMatchObject({ message: 'The body is not valid JSON' });
  });

  it.each([
    ...Object.getOwnPropertyNames(Object.prototype),
    // Fields of functions and lists, which no body has either.
    'prototype',
    'length',
  ])('refuse the field %s like every unknown one, at every level', async (name) => {
    const field = `${JSON.stringify(name)}:{"x":1}`;
    const response = await post(
      `{${field},"targets":[{"entity":"POST","count":1,${field}},{"entity":"X","count":1}],"tags":[{${field}}]}`,
    );
    expect(response.status).toBe(400);
    const { message } = (await response.json()) as { message: string[] };
    expect(message).toEqual(
      expect.arrayContaining([
        `${name} should not exist`,
        `targets.0.${name} should not exist`,
        'targets.1.entity must be one of the following values: POST, PROFILE',
      ]),
    );
    expect((await post(`{"targets":[{"entity":"POST","count":1}],${field}}`)).status).toBe(400);
  });

  it.each(['[]', '[{}]', '"text"', '3', 'true', 'null'])('%s in place of an object is 400', async (body) => {
    for (const path of ['/targets', '/optional']) {
      const response = await post(body, {}, path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ message: ['body must be an object'] });
    }
  });

  it('may be absent where every field is optional', async () => {
    const response = await fetch(`${running.url}/optional`, { method: 'POST' });
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { since: null } });
  });

  it('tell null from absence', async () => {
    expect(await (await post('{}', {}, '/optional')).json()).toEqual({ since: null });
    expect(await (await post('{"since":"today"}', {}, '/optional')).json()).toEqual({ since: 'today' });
    const response = await post('{"since":null}', {}, '/optional');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: ['since must be a string'] });
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('are read when compressed by %s', async (encoding, compress) => {
    const body = compress(JSON.stringify({ ...valid, tags: ['x'.repeat(10_000)] }));
    const response = await post(body, { 'content-encoding': encoding });
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { accepted: 1 } });
  });

  it('are measured after decompression: a bomb is 413 long before its end', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '), { level: constants.Z_BEST_SPEED });
    // Below the limit as it is sent.
    expect(bomb.length).toBeLessThan(limitBytes);
    const before = process.memoryUsage().arrayBuffers;
    const response = await post(bomb, { 'content-encoding': 'gzip' });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: 'Payload Too Large' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });

  it('are measured before decompression, too: endless empty parts are 413', async () => {
    const empty = gzipSync('');
    const parts = Buffer.concat(Array.from({ length: Math.ceil((limitBytes + 1) / empty.length) }, () => empty));
    expect((await post(parts, { 'content-encoding': 'gzip' })).status).toBe(413);
  });

  it('that are broken or cut short are 400', async () => {
    const whole = gzipSync(JSON.stringify({ ...valid, tags: ['x'] }));
    for (const body of ['{"targets":[]}', whole.subarray(0, whole.length - 9), whole.subarray(5)]) {
      const response = await post(body, { 'content-encoding': 'gzip' });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        message: 'The body is not valid gzip data',
        error: 'Bad Request',
        statusCode: 400,
      });
    }
    const deep = gzipSync('['.repeat(20_000) + ']'.repeat(20_000));
    expect(await (await post(deep, { 'content-encoding': 'gzip' })).json()).toMatchObject({
      message: ['body must not be nested in more than 100 levels'],
    });
  });

  it('in another encoding are 415 and name those that are read', async () => {
    for (const encoding of ['zstd', 'gzip, gzip', 'constructor', 'aes128gcm']) {
      const response = await post(gzipSync('{}'), { 'content-encoding': encoding });
      expect(response.status).toBe(415);
      expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br');
      expect(await response.json()).toMatchObject({
        message: 'The content encoding is not one that this service reads; it reads gzip, deflate, br',
      });
    }
  });

  it('are read in UTF-8 alone', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON']) {
      expect((await post(JSON.stringify(valid), { 'content-type': type })).status).toBe(200);
    }
    for (const charset of ['foo', 'utf-16', 'iso-8859-1', '"latin1"', '']) {
      const response = await post(JSON.stringify(valid), { 'content-type': `application/json; charset=${charset}` });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({
        message: 'The charset is not one that this service reads; it reads utf-8',
      });
    }
  });

  it('of a client that disconnects in the middle do no harm', async () => {
    const request = httpRequest(`${running.url}/targets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    request.on('error', () => undefined);
    const gzip = createGzip();
    gzip.pipe(request);
    gzip.write('{"targets":');
    gzip.flush();
    await new Promise((resolve) => request.once('socket', (socket) => socket.once('connect', resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    request.destroy();
    expect((await post(JSON.stringify(valid))).status).toBe(200);
  });
});
