import { afterEach, describe, expect, it } from '@jest/globals';
import { startService, type RunningService } from '../src/index.js';
import { exampleService } from './example-service.js';

describe('https in production', () => {
  let running: RunningService | undefined;
  afterEach(() => running?.close());
  const start = async (env: Record<string, string>, isCalledInside?: boolean) => {
    const service = { ...exampleService, ...(isCalledInside === undefined ? {} : { isCalledInside }) };
    const settings = { ENVIRONMENT: 'production', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' };
    running = await startService(service, {
      env: { ...settings, EXAMPLE_SECRET: 'Xo0LmBqYk2f7Tn4zVr8WcE1s', TRUST_PROXY: '1', ...env },
    });
    return async (path: string, proto?: string, init: RequestInit = {}) => {
      const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto };
      const response = await fetch(`${running!.url}${path}`, { ...init, headers });
      return { status: response.status, hsts: response.headers.get('strict-transport-security') };
    };
  };
  const hsts = 'max-age=63072000; includeSubDomains';

  it('is announced to every client that used it, with any answer', async () => {
    const get = await start({});
    expect(await get('/greeting', 'https')).toEqual({ status: 200, hsts });
    expect(await get('/nothing', 'https')).toEqual({ status: 404, hsts });
    expect(await get('/targets', 'https')).toEqual({ status: 405, hsts });
    expect(await get('/failure/other', 'https')).toEqual({ status: 500, hsts });
    // The last proxy is the one that is trusted.
    expect(await get('/greeting', 'http, https')).toEqual({ status: 200, hsts });
  });

  it('is required of every request that came through a proxy', async () => {
    const get = await start({});
    for (const path of ['/greeting', '/nothing', '/openapi.json', '/health/x']) {
      expect(await get(path, 'http')).toEqual({ status: 403, hsts: null });
    }
    expect(await get('/targets', 'http', { method: 'POST', body: '{}' })).toEqual({ status: 403, hsts: null });
    expect(await get('/greeting', 'https, http')).toEqual({ status: 403, hsts: null });
  });

  it('is not believed from a proxy that is not trusted', async () => {
    const get = await start({ TRUST_PROXY: '10.0.0.0/8' });
    expect(await get('/greeting', 'https')).toEqual({ status: 403, hsts: null });
    expect(await get('/greeting')).toEqual({ status: 200, hsts: null });
  });

  it('is not required of calls inside the cluster, probes and metrics', async () => {
    const get = await start({});
    expect(await get('/greeting')).toEqual({ status: 200, hsts: null });
    expect(await get('/health', 'http')).toEqual({ status: 200, hsts: null });
    expect(await get('/ready?x', 'http')).toEqual({ status: 200, hsts: null });
    expect((await fetch(running!.metricsUrl)).status).toBe(200);
  });

  it('is required of every call to a service that is not called inside the cluster', async () => {
    const get = await start({}, false);
    expect(await get('/greeting')).toEqual({ status: 403, hsts: null });
    expect(await get('/greeting', 'https')).toEqual({ status: 200, hsts });
    expect(await get('/health')).toEqual({ status: 200, hsts: null });
  });

  it('is not required in staging', async () => {
    const get = await start({ ENVIRONMENT: 'staging' }, false);
    expect(await get('/greeting', 'http')).toEqual({ status: 200, hsts: null });
  });
});
