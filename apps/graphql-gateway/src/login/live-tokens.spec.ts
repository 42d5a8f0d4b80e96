import { describe, expect, it, jest } from '@jest/globals';
import { unauthenticated } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { Clock } from '../clock.js';
import type { AppEvents } from '../events.js';
import { identityUnavailable, type IdentityClient } from './identity-client.js';
import { LiveTokens } from './live-tokens.js';

describe('LiveTokens', () => {
  /** Identity, which answers with this error, or well without one. */
  function tokensOf(state: { error?: Error | undefined }) {
    const asked: string[] = [];
    const emit = jest.fn();
    const clock = { elapsedMs: 1 };
    const identity: Pick<IdentityClient, 'assertActive'> = {
      assertActive: async (token) => {
        asked.push(token);
        if (state.error) throw state.error;
        return { active: true, user_id: 'u', email: 'e', user_company_id: null, credentials_version: 1 };
      },
    };
    const config = { KEY_CACHE_MS: 5000 } as AppConfig;
    return {
      asked,
      emit,
      clock,
      tokens: new LiveTokens(
        config,
        identity as IdentityClient,
        { emit } as unknown as AppEvents,
        { elapsedMs: () => clock.elapsedMs } as Clock,
      ),
    };
  }
  const ended = unauthenticated('ended');

  it('asks once for many requests at once, and again after KEY_CACHE_MS, which ends a revoked token', async () => {
    const state: { error?: Error } = {};
    const { asked, clock, tokens } = tokensOf(state);
    await Promise.all(Array.from({ length: 20 }, () => tokens.assertGood('a')));
    await tokens.assertGood('b');
    expect(asked).toEqual(['a', 'b']);
    state.error = ended;
    clock.elapsedMs += 4900;
    await tokens.assertGood('a');
    clock.elapsedMs += 200;
    await expect(tokens.assertGood('a')).rejects.toMatchObject({ status: 401, code: 'caller.unauthenticated' });
    await expect(tokens.assertGood('a')).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual(['a', 'b', 'a']);
  });

  it('takes a token for good while identity is away, says so, and asks again after KEY_CACHE_MS', async () => {
    const state: { error?: Error } = { error: identityUnavailable() };
    const { asked, emit, clock, tokens } = tokensOf(state);
    await tokens.assertGood('a');
    await tokens.assertGood('a');
    expect([asked.length, emit.mock.calls.map(([event]) => event)]).toEqual([1, ['token_unchecked']]);
    state.error = ended;
    clock.elapsedMs += 5100;
    await expect(tokens.assertGood('a')).rejects.toMatchObject({ status: 401 });
  });
});
