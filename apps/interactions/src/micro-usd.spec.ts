import { describe, expect, it } from '@jest/globals';
import { parseMicroUsd, toMicroUsd, toUsd } from './micro-usd.js';

describe('money', () => {
  it('is exact in sums where fractions of dollars are not', () => {
    const costs = Array.from({ length: 1_000 }, () => 0.1);
    expect(costs.reduce((sum, cost) => sum + cost, 0)).not.toBe(100);
    expect(toUsd(costs.map(toMicroUsd).reduce((sum, cost) => sum + cost, 0))).toBe(100);
  });

  it.each([
    [0, 0],
    [0.0000004, 0],
    [0.0000005, 1],
    [0.0021337, 2_134],
    [1.005, 1_005_000],
    [999_999_999, 999_999_999e6],
  ])('%d US dollars are %d millionths', (usd, microUsd) => {
    expect(toMicroUsd(usd)).toBe(microUsd);
  });

  it('keeps six digits behind the point in both directions', () => {
    for (const microUsd of [1, 12, 100_001, 999_999_999_999_999]) expect(toMicroUsd(toUsd(microUsd))).toBe(microUsd);
  });

  it.each(['0', '12', '12.5', '0.000001', '999999999'])('reads "%s"', (text) => {
    expect(parseMicroUsd(text)).toBe(Math.round(Number(text) * 1e6));
  });

  it.each(['', ' ', '-1', '1e3', '1,5', '.5', '1.', '0.0000001', '1000000000', 'NaN', '0x1', 'unlimited'])(
    'reads no amount in "%s"',
    (text) => {
      expect(parseMicroUsd(text)).toBeUndefined();
    },
  );
});
