// Whose address a request has behind proxies: limits, locks and the audit log go by it.
import { describe, expect, it } from '@jest/globals';
import { createFastifyAdapter } from '../src/http/fastify-adapter.js';
import { createLogger, Metrics } from '../src/index.js';
import { ExampleConfig } from './example-service.js';

const client = '203.0.113.9';
const balancer = '34.120.5.6';
const frontEnd = '35.191.0.7';
const forged = '198.51.100.1';

async function seen(trustProxy: string, from: string, forwardedFor?: string) {
  const config = new ExampleConfig({ ENVIRONMENT: 'dev', TRUST_PROXY: trustProxy });
  const adapter = createFastifyAdapter(config, createLogger({ service: 'example', level: 'fatal' }), new Metrics());
  const instance = adapter.getInstance();
  instance.get('/', (request) => ({ ip: request.ip, protocol: request.protocol }));
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': 'https' };
  const response = await instance.inject({ url: '/', remoteAddress: from, headers });
  await instance.close();
  return response.json<{ ip: string; protocol: string }>();
}

describe('the address of a client', () => {
  it("is right behind Google's balancer with TRUST_PROXY=2, whatever headers the client sends", async () => {
    expect(await seen('2', frontEnd, `${client}, ${balancer}`)).toEqual({ ip: client, protocol: 'https' });
    expect(await seen('2', frontEnd, `${forged}, ${client}, ${balancer}`)).toEqual({ ip: client, protocol: 'https' });
    expect(await seen('2', frontEnd, `${forged}, ${forged}, ${client}, ${balancer}`)).toMatchObject({ ip: client });
  });

  it('is right behind a proxy that adds the client alone with TRUST_PROXY=1', async () => {
    expect(await seen('1', '10.4.0.2', client)).toEqual({ ip: client, protocol: 'https' });
    expect(await seen('1', '10.4.0.2', `${forged}, ${client}`)).toMatchObject({ ip: client });
  });

  it('is that of the balancer, for all clients, when one proxy too few is trusted', async () => {
    expect(await seen('1', frontEnd, `${client}, ${balancer}`)).toMatchObject({ ip: balancer });
  });

  it('is that of the connection without a proxy, and for callers in the cluster', async () => {
    expect(await seen('false', forged, client)).toEqual({ ip: forged, protocol: 'http' });
    expect(await seen('2', '10.4.0.9')).toEqual({ ip: '10.4.0.9', protocol: 'http' });
  });
});
