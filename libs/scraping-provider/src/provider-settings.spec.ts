import { describe, expect, it } from '@jest/globals';
import { providerSettings } from './provider-settings.js';

describe('providerSettings', () => {
  it.each(['15s', '15,000', '1.5', '-1', ''])('refuses %j as a number of milliseconds or runs', (bad) => {
    expect(() => providerSettings.PROVIDER_TIMEOUT_MS.parse(bad)).toThrow(/must be (an integer|at least 1)/);
    expect(() => providerSettings.PROVIDER_RETRIES.parse(bad)).toThrow(/must be (an integer|at least 0)/);
  });

  it('reads whole numbers and addresses within their limits', () => {
    expect(providerSettings.PROVIDER_TIMEOUT_MS.parse('2000')).toBe(2000);
    expect(providerSettings.PROVIDER_RETRIES.parse('0')).toBe(0);
    expect(() => providerSettings.PROVIDER_TIMEOUT_MS.parse('0')).toThrow('at least 1');
    expect(providerSettings.PROVIDER_BASE_URL.parse('https://example.com')).toBe('https://example.com');
    expect(() => providerSettings.PROVIDER_BASE_URL.parse('example.com')).toThrow('must be an absolute URL');
  });
});
