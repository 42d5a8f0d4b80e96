import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@tradewind/testkit';
import { until } from '../../src/http.js';
import { Balancer } from './balancer.js';

const open: { close: () => unknown }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

/** A replica that answers its name; `/ready` has the status. */
async function replica(name: string, status: { ready: number }): Promise<{ port: number; server: Server }> {
  const server = createServer((incoming, answer) => {
    if (incoming.url === '/ready') answer.writeHead(status.ready).end();
    else if (incoming.url === '/break') incoming.socket.destroy();
    else incoming.on('data', () => undefined).on('end', () => answer.end(name));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  // The address of a server that listens on a port.
  return { port: (server.address() as AddressInfo).port, server };
}

async function balanced(targets: { port: number }[]): Promise<{ url: string; balancer: Balancer }> {
  const port = await freePort();
  const balancer = await Balancer.listen(port, targets);
  open.push(balancer);
  return { url: `http://127.0.0.1:${port}`, balancer };
}

const answers = async (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await fetch(url, { method: 'POST', body: 'x' })).text()));

describe('the balancer', () => {
  it('gives requests to ready replicas in turn', async () => {
    const second = { ready: 200 };
    const targets = [await replica('one', { ready: 200 }), await replica('two', second)];
    const { url, balancer } = await balanced(targets);
    await until('both to be ready', 5_000, async () => balancer.areAllReady || undefined);
    expect((await answers(url, 4)).sort()).toEqual(['one', 'one', 'two', 'two']);
    second.ready = 503;
    await until('one to be left out', 5_000, async () => !balancer.areAllReady || undefined);
    expect(await answers(url, 4)).toEqual(['one', 'one', 'one', 'one']);
  });

  it('gives a request that found no connection to the other replica', async () => {
    const { url } = await balanced([{ port: await freePort() }, await replica('two', { ready: 200 })]);
    expect(await answers(url, 3)).toEqual(['two', 'two', 'two']);
  });

  it('breaks the connection of the caller when a replica dies with the request, and sends it nowhere else', async () => {
    const { url } = await balanced([await replica('one', { ready: 200 }), await replica('two', { ready: 200 })]);
    await expect(fetch(`${url}/break`)).rejects.toThrow('fetch failed');
  });
});
