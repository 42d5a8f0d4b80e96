import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SeenSecrets } from './seen-secrets.js';

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-seen-'));
  mkdirSync(join(folder, 'settings'));
  mkdirSync(join(folder, 'logs'));
  server = createServer((_request, response) => {
    response.setHeader('set-cookie', 'session=the cookie; Path=/');
    response.setHeader('location', '/callback?code=the%20code%20of%20it');
    response.setHeader('content-type', 'application/json');
    response.end('{"data":{"createApiKey":"the api key","name":"no secret"},"list":[{"refresh_token":"the refresh"}]}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('finds the secrets of requests, answers and settings in logs, and nothing else of them', async () => {
  const seen = SeenSecrets.watch();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { authorization: 'Bearer the-bearer', cookie: 'other=that-cookie' };
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ client_secret: 'the client' }),
  });
  // The caller can still read what was watched.
  expect(await answer.json()).toHaveProperty('data');
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"email":"somebody","password":"the password","grant_type":"no secret"}',
  });
  writeFileSync(join(folder, 'settings/one.env'), "SERVICE_TOKEN='the service token'\nPORT='no secret'\n");
  seen.addSettings(folder);
  const secrets = ['the-bearer', 'that-cookie', 'the client', 'the cookie', 'the code of it'];
  secrets.push('the api key', 'the refresh', 'the password', 'the service token');

  const logs = join(folder, 'logs');
  const entry = (message: string) => `${JSON.stringify({ time: new Date().toISOString(), message })}\n`;
  writeFileSync(join(logs, 'clean.log'), entry('no secret of somebody'));
  expect(await seen.scanLogs(logs)).toEqual({ findings: [], summary: expect.stringContaining(' 0 secrets') });
  writeFileSync(join(logs, 'one.log'), secrets.map((secret) => entry(`got ${secret} back`)).join(''));
  const { findings } = await seen.scanLogs(logs);
  expect(findings.map((one) => /one\.log:(\d+): known value/.exec(one)?.[1])).toEqual(
    secrets.map((_, index) => String(index + 1)),
  );
});
