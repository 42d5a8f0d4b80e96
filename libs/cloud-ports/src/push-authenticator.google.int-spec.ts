import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startFakeGoogleKeys, type FakeGoogleKeys } from '@tradewind/testkit';
import { GooglePushAuthenticator } from './push-authenticator.google.js';

const audience = 'https://priority-api.example.com/batch-trigger/';
const email = 'push@example.iam.gserviceaccount.com';
const now = () => Math.floor(Date.now() / 1000);

describe('GooglePushAuthenticator', () => {
  let keys: FakeGoogleKeys;
  let otherKeys: FakeGoogleKeys;
  let authenticator: GooglePushAuthenticator;
  beforeAll(async () => {
    [keys, otherKeys] = await Promise.all([startFakeGoogleKeys(), startFakeGoogleKeys()]);
    authenticator = new GooglePushAuthenticator({ audience, serviceAccount: email, certsUrl: keys.certsUrl });
  });
  afterAll(async () => {
    await Promise.all([keys.close(), otherKeys.close()]);
  });

  it('accepts the token of the push service account, and reads the keys once', async () => {
    for (let index = 0; index < 5; index += 1) {
      expect(await authenticator.verify(`Bearer ${keys.token({ aud: audience, email })}`)).toBe('accepted');
    }
    expect(keys.requests).toBe(1);
  });

  it.each<[string, () => string | undefined]>([
    ['no header', () => undefined],
    ['no token', () => 'Bearer '],
    ['another scheme', () => `Basic ${keys.token({ aud: audience, email })}`],
    ['what is not a token', () => 'Bearer abc'],
    ['another audience', () => `Bearer ${keys.token({ aud: 'https://elsewhere.example.com', email })}`],
    [
      'another account',
      () => `Bearer ${keys.token({ aud: audience, email: 'mallory@example.iam.gserviceaccount.com' })}`,
    ],
    ['no account', () => `Bearer ${keys.token({ aud: audience })}`],
    ['an address that is not verified', () => `Bearer ${keys.token({ aud: audience, email, email_verified: false })}`],
    [
      'an address verified in words only',
      () => `Bearer ${keys.token({ aud: audience, email, email_verified: 'true' })}`,
    ],
    ['another issuer', () => `Bearer ${keys.token({ aud: audience, email, iss: 'https://example.com' })}`],
    ['an expired token', () => `Bearer ${keys.token({ aud: audience, email, iat: now() - 7200, exp: now() - 3600 })}`],
    [
      'a token from the future',
      () => `Bearer ${keys.token({ aud: audience, email, iat: now() + 3600, exp: now() + 7200 })}`,
    ],
    ['a key that is not known', () => `Bearer ${keys.token({ aud: audience, email }, { kid: 'other' })}`],
    ['the signature of another key', () => `Bearer ${otherKeys.token({ aud: audience, email })}`],
    [
      'a token without signature',
      () => `Bearer ${keys.token({ aud: audience, email }, { alg: 'none' }).replace(/[^.]+$/, '')}`,
    ],
    [
      'a changed token',
      () => `Bearer ${keys.token({ aud: audience, email }).replace(/\.[^.]+\./, (part) => part.replace(/.\.$/, 'A.'))}`,
    ],
  ])('refuses %s', async (_name, header) => {
    expect(await authenticator.verify(header())).toBe('refused');
  });

  it('answers unavailable, not refused, while the keys cannot be read', async () => {
    keys.failWith = 503;
    const fresh = new GooglePushAuthenticator({ audience, serviceAccount: email, certsUrl: keys.certsUrl });
    const header = `Bearer ${keys.token({ aud: audience, email })}`;
    expect(await fresh.verify(header)).toBe('unavailable');
    keys.failWith = undefined;
    expect(await fresh.verify(header)).toBe('accepted');
  }, 30_000);

  it('writes nothing of a token anywhere', async () => {
    const written: string[] = [];
    const capture = (chunk: unknown) => {
      written.push(String(chunk));
      return true;
    };
    const spies = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation(capture),
    );
    const token = otherKeys.token({ aud: audience, email });
    await authenticator.verify(`Bearer ${token}`);
    for (const spy of spies) spy.mockRestore();
    expect(written.join('')).not.toContain(token.slice(0, 40));
  });
});
