// Publishing a month again buys everything in it a second time: who may do that.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { monthOf } from '@tradewind/shared-types';
import { serviceToken, startApp, type TestApp } from './coordinator-app.js';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let identity: Server;
let issuer: string;
let app: TestApp;
beforeAll(async () => {
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }];
  identity = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys })),
  );
  await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(identity.address() as AddressInfo).port}`;
  app = await startApp({ OAUTH_ISSUER: issuer });
  await app.addPeople([{ usernames: ['ada'] }]);
});
afterAll(async () => {
  await app.close();
  identity.close();
});

function tokenOf(userRole: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    sub: `user-${userRole}`,
    aud: 'urn:tradewind:pipelines',
    iat: now,
    exp: now + 300,
    userRole,
  };
  const parts = [{ alg: 'RS256', kid: 'key', typ: 'at+jwt' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, createSign('RSA-SHA256').update(parts.join('.')).sign(privateKey, 'base64url')].join('.');
}

const run = async (token: string, body: object) => {
  const answer = await app.request('POST', '/run', body, { authorization: `Bearer ${token}` });
  if (answer.status === 202) await app.untilCompleted(answer.body.run_id);
  return answer;
};

it('an analyst runs a month and may not force it, not even for show; an admin and a service token may', async () => {
  const month = monthOf(new Date());
  expect((await run(tokenOf('ANALYST'), { month, force: false })).status).toBe(202);
  for (const body of [{ force: true }, { force: true, dry_run: true }, { force: true, limit: 1 }]) {
    expect(await run(tokenOf('ANALYST'), body)).toEqual({
      status: 403,
      body: {
        message: 'force publishes a month again and needs the role ADMIN or a service token',
        error: 'Forbidden',
        statusCode: 403,
      },
    });
  }
  expect((await app.request('GET', '/runs')).body['runs']).toHaveLength(1);
  expect((await run(tokenOf('ADMIN'), { force: true })).body).toMatchObject({ forced: true });
  expect((await run(serviceToken, { force: true })).body).toMatchObject({ forced: true });
});
