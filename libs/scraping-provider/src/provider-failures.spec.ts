import { describe, expect, it } from '@jest/globals';
import { failureDetail, meaningOfFailure, retryAfterMs, type CallFailure } from './provider-failures.js';

const failure = (parts: Partial<CallFailure>): CallFailure => ({
  status: undefined,
  type: undefined,
  code: undefined,
  retryAfterMs: undefined,
  detail: '',
  ...parts,
});

describe('meaningOfFailure', () => {
  it.each([
    [{ status: 429 }, 'no_capacity'],
    [{ status: 400, type: 'concurrent-runs-limit-exceeded' }, 'no_capacity'],
    [{ status: 402, type: 'actor-memory-limit-exceeded' }, 'no_capacity'],
    [{ status: 400, type: 'invalid-input' }, 'refused'],
    [{ status: 401 }, 'refused'],
    [{ status: 404 }, 'refused'],
    [{ status: 408 }, 'unknown_outcome'],
    [{ status: 500 }, 'unknown_outcome'],
    [{ status: 504 }, 'unknown_outcome'],
    [{ code: 'ECONNREFUSED' }, 'unavailable'],
    [{ code: 'ENOTFOUND' }, 'unavailable'],
    [{ code: 'ECONNRESET' }, 'unknown_outcome'],
    [{ code: 'ECONNABORTED' }, 'unknown_outcome'],
    [{}, 'unknown_outcome'],
  ] as const)('%j means %s', (parts, meaning) => {
    expect(meaningOfFailure(failure(parts))).toBe(meaning);
  });
});

describe('retryAfterMs', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['3', 3000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:00:05 GMT', 5000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 12:00:00 GMT', 86_400_000],
    ['1e300', 86_400_000],
    ['Infinity', 86_400_000],
    ['-5', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe('failureDetail', () => {
  it('holds only characters that a log and a table can, even where it is cut', () => {
    const detail = failureDetail(`a\u0000b\u001b[31m\ud83d ${'x'.repeat(489)}😀`);
    expect(detail).toHaveLength(500);
    expect(detail).toMatch(/^a\ufffdb\ufffd\[31m\ufffd x+\ufffd$/);
  });
});
