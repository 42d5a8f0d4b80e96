// How the run provider reaches the network: over connections that are kept, and through a proxy where one is named.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createRunProvider } from '../src/index.js';
import { testSettings } from './test-settings.js';

const proxyVariables = ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'];
const variablesBefore = Object.fromEntries(proxyVariables.map((name) => [name, process.env[name]]));

function answerRun(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data: { id: 'run', status: 'RUNNING', startedAt: new Date(0).toISOString() } }));
}

async function listen(answer: typeof answerRun) {
  const connections = { count: 0 };
  const server = createServer(answer).on('connection', () => (connections.count += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections, server };
}

describe('connections to the provider', () => {
  const servers: { closeAllConnections(): void; close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    for (const [name, value] of Object.entries(variablesBefore)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('consecutive calls share a connection', async () => {
    for (const name of proxyVariables) delete process.env[name];
    const { url, connections, server } = await listen(answerRun);
    servers.push(server);
    const provider = createRunProvider(testSettings(url));
    for (let n = 0; n < 5; n++) expect((await provider.findRun('run'))?.id).toBe('run');
    expect(connections.count).toBe(1);
  });

  it('uses the proxy that the environment names', async () => {
    const asked: string[] = [];
    const proxy = await listen((request, response) => {
      asked.push(request.url ?? '');
      answerRun(request, response);
    });
    servers.push(proxy.server);
    for (const name of proxyVariables) delete process.env[name];
    process.env['HTTP_PROXY'] = proxy.url;
    const provider = createRunProvider(testSettings('http://provider.invalid'));
    expect((await provider.findRun('run'))?.id).toBe('run');
    expect(asked).toEqual(['http://provider.invalid/v2/actor-runs/run']);
  });
});
