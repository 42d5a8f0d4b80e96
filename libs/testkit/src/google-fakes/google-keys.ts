// Google's signing keys, on loopback: a separate key pair, the address where its public half is published, and
// tokens signed with it.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback.js';

export interface FakeGoogleKeys {
  certsUrl: string;
  /** How often the keys were asked for. */
  requests: number;
  /** While set, the keys are answered with this status. */
  failWith: number | undefined;
  /** A signed OIDC token; claims given replace those of a proper push token. */
  token(claims: Record<string, unknown>, header?: Record<string, unknown>): string;
  close(): Promise<void>;
}

export async function startFakeGoogleKeys(): Promise<FakeGoogleKeys> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keyId = 'fake-key-1';
  const server = createServer((_request, response) => {
    keys.requests += 1;
    if (keys.failWith !== undefined) {
      response.writeHead(keys.failWith).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' });
    response.end(JSON.stringify({ [keyId]: publicKey.export({ type: 'spki', format: 'pem' }) }));
  });
  const url = await listenOnLoopback(server);
  const keys: FakeGoogleKeys = {
    certsUrl: `${url}/certs`,
    requests: 0,
    failWith: undefined,
    token(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const parts = [
        { alg: 'RS256', kid: keyId, typ: 'JWT', ...header },
        { iss: 'https://accounts.google.com', iat: now, exp: now + 3600, sub: '1', email_verified: true, ...claims },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const signature = createSign('RSA-SHA256').update(parts.join('.')).sign(privateKey, 'base64url');
      return [...parts, signature].join('.');
    },
    close: () => closeServer(server),
  };
  return keys;
}
