import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('readSettings', () => {
  it('defaults to port 4000, .data in the checkout and the embedded database', () => {
    expect(readSettings({}, '/checkout')).toEqual({
      portBase: 4000,
      dataDir: '/checkout/.data',
      databaseUrl: undefined,
      compileCacheDir: undefined,
      rootDir: '/checkout',
      dataLimits: { DATA_PAGE_SIZE: '1', DATA_CALLS_PER_DAY: '10', REQUESTS_PER_MINUTE: '100' },
    });
  });

  it('has larger limits for exploring, but prefers those of the environment', () => {
    const env = { DATA_PAGE_SIZE: '50', REQUESTS_PER_MINUTE: '' };
    expect(readSettings(env, '/checkout', true).dataLimits).toEqual({
      DATA_PAGE_SIZE: '50',
      DATA_CALLS_PER_DAY: '10000',
      REQUESTS_PER_MINUTE: '100',
    });
  });

  it('keeps compiled code in the folder that Node is told to use', () => {
    expect(readSettings({ NODE_COMPILE_CACHE: '/compiled' }, '/checkout').compileCacheDir).toBe('/compiled');
  });

  it('resolves relative folders from the checkout, and keeps absolute ones', () => {
    expect(readSettings({ DATA_DIR: 'other' }, '/checkout').dataDir).toBe('/checkout/other');
    expect(readSettings({ DATA_DIR: '/var/tmp/x' }, '/checkout').dataDir).toBe('/var/tmp/x');
  });

  it.each(['http', '80', '70000', '4000.5', '-1'])('refuses PORT_BASE %s and names it', (portBase) => {
    expect(() => readSettings({ PORT_BASE: portBase }, '/checkout')).toThrow(`not "${portBase}"`);
  });

  it('names every fault at once', () => {
    expect(() => readSettings({ PORT_BASE: 'x', DATABASE_URL: 'mysql://host' }, '/checkout')).toThrow(
      /PORT_BASE[^]*DATABASE_URL/,
    );
  });
});
