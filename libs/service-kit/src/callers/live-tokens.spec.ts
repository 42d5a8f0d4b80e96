import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveTokens } from './live-tokens.js';

describe('LiveTokens', () => {
  /** What identity was asked: path, Authorization header and body. */
  let asked: string[];
  /** What it answers; undefined: nothing at all. */
  let answer: { status: number; body: unknown } | undefined;
  let identity: Server;
  let reasons: string[];
  let elapsedMs: number;
  let tokens: LiveTokens;
  beforeEach(async () => {
    [asked, answer, reasons, elapsedMs] = [[], { status: 200, body: { active: true } }, [], 1];
    identity = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        asked.push([request.url, request.headers.authorization, body].join(' '));
        if (answer) response.writeHead(answer.status).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
    tokens = tokensAt(`http://127.0.0.1:${(identity.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    identity.closeAllConnections();
    await new Promise((resolve) => identity.close(resolve));
  });

  function tokensAt(url: string): LiveTokens {
    return new LiveTokens({
      identity: { url, serviceToken: 'ours' },
      trustedMs: 5000,
      onUnchecked: (reason) => reasons.push(reason),
      elapsedMs: () => elapsedMs,
    });
  }

  const asks = (token: string) => `/internal/access-tokens/check Bearer ours {"token":"${token}"}`;
  const refusal = { status: 401, code: 'caller.unauthenticated' };

  it('asks once for many requests at once, and again when the answer is too old, which ends a revoked token', async () => {
    await Promise.all(Array.from({ length: 20 }, () => tokens.assertGood('a')));
    await tokens.assertGood('b');
    expect(asked).toEqual([asks('a'), asks('b')]);
    answer = { status: 200, body: { active: false } };
    elapsedMs += 4900;
    await tokens.assertGood('a');
    elapsedMs += 200;
    await expect(tokens.assertGood('a')).rejects.toMatchObject(refusal);
    await expect(tokens.assertGood('a')).rejects.toMatchObject(refusal);
    expect(asked).toEqual([asks('a'), asks('b'), asks('a')]);
    expect(reasons).toEqual([]);
  });

  it('asks with the token itself about one of a direct login', async () => {
    await tokens.assertGood('direct', { isDirectLogin: true });
    answer = { status: 401, body: {} };
    await expect(tokens.assertGood('ended', { isDirectLogin: true })).rejects.toMatchObject(refusal);
    expect(asked).toEqual(['/auth/me Bearer direct ', '/auth/me Bearer ended ']);
  });

  it.each([
    ['refuses our service token', { status: 401, body: {} }],
    ['is broken', { status: 500, body: {} }],
    ['has no such path', { status: 404, body: {} }],
    ['says something else', { status: 200, body: { keys: [] } }],
    ['hangs', undefined],
  ])('takes a token for good while identity %s, says so, and asks again later', async (_how, wrong) => {
    answer = wrong;
    await tokens.assertGood('a');
    await tokens.assertGood('a');
    expect([asked.length, reasons.length]).toEqual([1, 1]);
    answer = { status: 200, body: { active: false } };
    elapsedMs += 5100;
    await expect(tokens.assertGood('a')).rejects.toMatchObject(refusal);
  });

  it('takes a token for good while nobody listens', async () => {
    await tokensAt('http://127.0.0.1:1').assertGood('a', { isDirectLogin: true });
    expect(reasons).toEqual(['GET http://127.0.0.1:1/auth/me gave no answer']);
  });
});
