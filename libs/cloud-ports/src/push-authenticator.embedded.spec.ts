import { describe, expect, it } from '@jest/globals';
import { EmbeddedPushAuthenticator } from './push-authenticator.embedded.js';

describe('EmbeddedPushAuthenticator', () => {
  const authenticator = new EmbeddedPushAuthenticator(['old-token', 'new-token']);

  it.each(['Bearer old-token', 'Bearer new-token', 'bearer  new-token'])('accepts %s', async (header) => {
    expect(await authenticator.verify(header)).toBe('accepted');
  });

  it.each([
    undefined,
    '',
    'old-token',
    'Basic old-token',
    'Bearer',
    'Bearer ',
    'Bearer old-token2',
    'Bearer old-token new-token',
  ])('refuses %s', async (header) => {
    expect(await authenticator.verify(header)).toBe('refused');
  });

  it('does not start without a token', () => {
    expect(() => new EmbeddedPushAuthenticator([])).toThrow('must not be empty');
    expect(() => new EmbeddedPushAuthenticator(['good', ''])).toThrow('must not be empty');
  });
});
