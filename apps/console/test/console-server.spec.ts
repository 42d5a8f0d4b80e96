import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConsoleServer } from '../server/console-server.js';
import { readConsoleSettings } from '../server/console-settings.js';

const services = {
  IDENTITY_URL: 'https://id.example.com',
  GATEWAY_URL: 'https://data.example.com',
  INTERACTIONS_URL: 'https://interactions.example.com',
  PRIORITY_API_URL: 'https://priority-api.example.com',
  PRIORITY_WEBHOOK_URL: 'https://priority-webhook.example.com',
  COORDINATOR_URL: 'https://coordinator.example.com',
};

describe('the server of the console', () => {
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-console-'));
    mkdirSync(join(folder, 'web/assets'), { recursive: true });
    writeFileSync(join(folder, 'web/index.html'), '<title>console</title>');
    writeFileSync(join(folder, 'web/assets/index-abc.js'), `'${'x'.repeat(2000)}'`);
    writeFileSync(join(folder, 'private.js'), 'private');
    server = createConsoleServer(readConsoleSettings({ ENVIRONMENT: 'production', ...services }), join(folder, 'web'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // A server that listens on a port has its address.
  const port = () => (server.address() as AddressInfo).port;
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port()}${path}`, init);
  /** With a path that fetch would change first. */
  const statusOf = async (path: string, method = 'GET') =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: port(), path, method }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it('answers every screen with the page, under a policy that allows scripts from itself alone', async () => {
    for (const path of ['/', '/jobs', '/jobs/7?x=a.b', '/signed-in?code=a.b']) {
      const response = await get(path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, '<title>console</title>']);
      const policy = response.headers.get('content-security-policy')!;
      expect(policy).toContain(`script-src 'self';`);
      expect(policy).toContain(`default-src 'none';`);
      expect(policy).toContain(`connect-src 'self' ${Object.values(services).join(' ')};`);
      expect(policy).toContain(`frame-ancestors 'none'`);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('strict-transport-security')).toContain('max-age=');
    }
  });

  it('lets browsers keep the files with a hash in their name, and compresses them', async () => {
    const response = await get('/assets/index-abc.js', { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(200);
    expect(await response.text()).toHaveLength(2002);
    const again = await get('/', { headers: { 'if-none-match': (await get('/')).headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  it('gives the page the addresses of the services, and nothing else', async () => {
    const body = (await (await get('/settings.json')).json()) as object;
    expect(body).toEqual({
      client_id: 'console',
      services: {
        identity: services.IDENTITY_URL,
        'graphql-gateway': services.GATEWAY_URL,
        interactions: services.INTERACTIONS_URL,
        'priority-api': services.PRIORITY_API_URL,
        'priority-webhook': services.PRIORITY_WEBHOOK_URL,
        coordinator: services.COORDINATOR_URL,
      },
    });
    expect(await (await get('/health')).json()).toEqual({
      ...{ status: 'healthy', service: 'console', environment: 'production' },
    });
    expect((await get('/ready')).status).toBe(200);
  });

  it.each([
    '/../private.js',
    '/assets/../../private.js',
    '/assets/%2e%2e/%2e%2e/private.js',
    '/..%2fprivate.js',
    '//private.js',
    '/assets/nothing.js',
    '/index.html.map',
    '/.env',
  ])('has no file outside the pages: %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('refuses %s', async (method) => {
    expect(await statusOf('/', method)).toBe(405);
  });
});

describe('the settings of the console', () => {
  it('are reported with all their faults at once', () => {
    const env = { ENVIRONMENT: 'production', ...services, IDENTITY_URL: '', GATEWAY_URL: 'http://data', PORT: 'x' };
    expect(() => readConsoleSettings(env)).toThrow(/^3 settings are wrong:/);
    expect(() => readConsoleSettings(env)).toThrow('IDENTITY_URL is missing');
    expect(() => readConsoleSettings(env)).toThrow('GATEWAY_URL must start with https://');
    expect(() => readConsoleSettings(env)).toThrow('PORT must be an integer');
  });

  it('may be plain http outside production', () => {
    expect(
      readConsoleSettings({ ENVIRONMENT: 'dev', ...services, GATEWAY_URL: 'http://localhost:4001/' }),
    ).toMatchObject({ GATEWAY_URL: 'http://localhost:4001', CLIENT_ID: 'console', PORT: 8080 });
  });
});
