import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startService, type RunningService } from '../src/index.js';
import { exampleService } from './example-service.js';

const console = 'https://console.example.com';

describe('pages of other origins', () => {
  let running: RunningService | undefined;
  afterEach(() => running?.close());
  const start = async (env: Record<string, string> = {}) => {
    running = await startService(exampleService, {
      env: { ENVIRONMENT: 'dev', PORT: '0', LOG_LEVEL: 'silent', ...env },
    });
    return (path: string, init: RequestInit = {}) => fetch(`${running!.url}${path}`, init);
  };
  const preflight = (origin: string): RequestInit => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,dpop',
    },
  });
  const granted = ({ headers }: Response) =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

  it('read nothing unless CORS_ORIGINS names them', async () => {
    const get = await start();
    const answers = [
      await get('/greeting', { headers: { origin: console } }),
      await get('/targets', preflight(console)),
      await get('/nothing', preflight(console)),
    ];
    expect(answers.map(granted)).toEqual([[], [], []]);
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 404]);
  });

  it('of CORS_ORIGINS read every answer, refusals and faults too', async () => {
    const get = await start({ CORS_ORIGINS: `http://localhost:4006, ${console}` });
    for (const [path, status] of [
      ['/greeting', 200],
      ['/health', 200],
      ['/nothing', 404],
      ['/targets', 405],
      ['/failure/expected', 502],
      ['/failure/other', 500],
    ] as const) {
      const response = await get(path, { headers: { origin: console } });
      expect({ path, status: response.status }).toEqual({ path, status });
      expect(granted(response)).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
      expect(response.headers.get('access-control-allow-origin')).toBe(console);
      expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(response.headers.get('vary')?.split(', ')[0]).toBe('Origin');
    }
  });

  it('may send a token, its DPoP proof and JSON', async () => {
    const get = await start({ CORS_ORIGINS: console });
    const response = await get('/targets', preflight(console));
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(console);
    expect(response.headers.get('access-control-allow-methods')).toBe('POST');
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, DPoP, Idempotency-Key',
    );
    expect(response.headers.get('access-control-max-age')).toBe('7200');
    // No cookie of the service may travel with it.
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await get('/nothing', preflight(console))).status).toBe(404);
  });

  it.each(['https://console.example.com.evil.example', 'http://console.example.com', 'null', '', 'https://other'])(
    'of the origin "%s" read nothing',
    async (origin) => {
      const get = await start({ CORS_ORIGINS: console });
      const answers = [await get('/greeting', { headers: { origin } }), await get('/targets', preflight(origin))];
      expect(answers.map(granted)).toEqual([[], []]);
      // A cache must not give this answer to the console.
      expect(answers[0]!.headers.get('vary')).toBe('Origin');
    },
  );

  it('do not change what OPTIONS answers to everybody else', async () => {
    const get = await start({ CORS_ORIGINS: console });
    const response = await get('/targets', { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it.each(['*', 'null', 'console.example.com', `${console}/`, `${console}/path`, 'ftp://console.example.com'])(
    'cannot be named as "%s"',
    async (origin) => {
      await expect(start({ CORS_ORIGINS: `${console},${origin}` })).rejects.toThrow(`not "${origin}"`);
    },
  );

  it('must be https in production', async () => {
    const production = { ENVIRONMENT: 'production', EXAMPLE_SECRET: randomBytes(24).toString('base64') };
    await expect(start({ ...production, CORS_ORIGINS: 'http://localhost:4006' })).rejects.toThrow(
      'must all start with https://',
    );
  });
});
