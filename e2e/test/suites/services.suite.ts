import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { call } from '../../src/http.js';
import type { PlatformProcess } from '../../src/platform-process.js';
import { serviceNames } from '../../src/service-names.js';

export function describeServices(platform: () => PlatformProcess): void {
  describe.each(serviceNames)('%s', (name) => {
    it('reports health with exactly the specified fields, is ready, and serves metrics on their own port', async () => {
      const health = await call('GET', `${platform().url(name)}/health`);
      expect([health.status, health.body]).toEqual([200, { status: 'healthy', service: name, environment: 'dev' }]);
      expect((await call('GET', `${platform().url(name)}/ready`)).status).toBe(200);
      const metrics = await call<string>('GET', `${platform().metricsUrl(name)}/metrics`);
      expect(metrics.status).toBe(200);
      expect(metrics.body).toContain('# HELP');
      expect((await call('GET', `${platform().url(name)}/metrics`)).status).toBe(404);
    });

    it('answers unknown paths with the common error body', async () => {
      const missing = await call('GET', `${platform().url(name)}/no/such/path`);
      expect(missing.status).toBe(404);
      expect(missing.body).toEqual({ message: expect.any(String) as unknown, error: 'Not Found', statusCode: 404 });
      const wrongMethod = await call('DELETE', `${platform().url(name)}/health`);
      expect(wrongMethod.status).toBe(405);
      expect(wrongMethod.headers.get('allow')).toContain('GET');
    });
  });

  it('listens on the loopback interface alone', async () => {
    const { ports } = platform();
    const opened = async (port: number, host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port, host, timeout: 2_000 });
        const end = (isOpen: boolean) => {
          socket.destroy();
          resolve(isOpen);
        };
        socket.once('connect', () => end(true));
        socket.once('error', () => end(false));
        socket.once('timeout', () => end(false));
      });
    // Any other address of the machine reaches only what listens on all of them.
    const others = Object.values(networkInterfaces())
      .flat()
      .flatMap((one) => (one && !one.internal && !one.address.startsWith('fe80') ? [one.address] : []));
    if (process.platform === 'linux') others.push('127.0.0.2');
    for (const port of ports) {
      expect([port, await opened(port, '127.0.0.1')]).toEqual([port, true]);
      for (const host of others) expect([port, host, await opened(port, host)]).toEqual([port, host, false]);
    }
  });

  it('npm start prints addresses, accounts and requests, and then Platform ready', () => {
    const { output, portBase } = platform();
    for (const words of [
      'demo@example.com',
      'demo-password-1',
      'admin@example.com',
      'demo-client',
      'npm run demo',
      `http://localhost:${portBase + 10}`,
    ]) {
      expect(output).toContain(words);
    }
    expect(output.trimEnd().split('\n').at(-1)).toContain('Platform ready');
  });
}
