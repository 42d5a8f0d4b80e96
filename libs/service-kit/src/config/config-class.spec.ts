import { describe, expect, it } from '@jest/globals';
import {
  bool,
  choice,
  configClass,
  ConfigError,
  httpsOnly,
  integer,
  list,
  number,
  secret,
  secretUrl,
  str,
  url,
} from '../index.js';

class ExampleConfig extends configClass({
  COUNT: integer({ default: 3, min: 1, max: 10, desc: 'A count' }),
  RATIO: number({ default: 0.5, min: 0, desc: 'A ratio' }),
  ENABLED: bool({ default: false, desc: 'A switch' }),
  MODE: choice(['fast', 'slow'], { default: 'fast', desc: 'A mode' }),
  WORDS: list({ default: ['a'], desc: 'Some words' }),
  ISSUER: url({ devDefault: 'http://localhost:4000', desc: 'An issuer', productionRule: httpsOnly }),
  KEY: secret({ devDefault: 'dev-only-key', desc: 'A key' }),
  NICKNAME: str({ default: undefined, desc: 'A name', requiredWhen: ({ MODE }) => MODE === 'slow' }),
  COLLECTOR: str({ default: undefined, desc: 'An address that may hold credentials' }),
  KEYS: list({ secret: true, devDefault: ['dev-only-first'], default: [], desc: 'Keys' }),
  STORE: secretUrl({ default: undefined, desc: 'A database' }),
  PLAIN: { parse: (input: string) => input, default: 'plain', desc: 'A setting of a library below the kit' },
}) {}

const safe = { ENVIRONMENT: 'production', ISSUER: 'https://id.example.com/', KEY: 'Xo0LmBqYk2f7Tn4zVr8WcE1s' };

describe('configClass', () => {
  it('parses each kind and fills in defaults', () => {
    const config = new ExampleConfig({
      ...safe,
      COUNT: '7',
      RATIO: '0.25',
      ENABLED: 'yes',
      MODE: 'fast',
      WORDS: ' x, y ,,z',
      LOG_LEVEL: '',
    });
    expect(config).toMatchObject({
      COUNT: 7,
      RATIO: 0.25,
      ENABLED: true,
      MODE: 'fast',
      WORDS: ['x', 'y', 'z'],
      ISSUER: 'https://id.example.com',
      PLAIN: 'plain',
      LOG_LEVEL: 'info',
      HOST: '0.0.0.0',
      PORT: 8080,
      METRICS_PORT: 9080,
    });
    expect(config.NICKNAME).toBeUndefined();
  });

  it('refuses a text that does not satisfy its pattern', () => {
    class Named extends configClass({ PREFIX: str({ desc: 'A name', default: 'a', pattern: /^[a-z]+$/ }) }) {}
    expect(new Named({ ...safe, PREFIX: 'abc' }).PREFIX).toBe('abc');
    expect(() => new Named({ ...safe, PREFIX: 'a*' })).toThrow('PREFIX');
  });

  it('uses the default of the environment where there is one', () => {
    expect(new ExampleConfig({ ENVIRONMENT: 'dev' }).DRAIN_DELAY_MS).toBe(0);
    expect(new ExampleConfig({ ...safe, ENVIRONMENT: 'staging' }).DRAIN_DELAY_MS).toBe(20_000);
    expect(new ExampleConfig(safe).DRAIN_DELAY_MS).toBe(20_000);
    expect(new ExampleConfig({ ENVIRONMENT: 'dev', DRAIN_DELAY_MS: '7' }).DRAIN_DELAY_MS).toBe(7);
  });

  it('listens on the loopback interface in dev only', () => {
    expect(new ExampleConfig({ ENVIRONMENT: 'dev' }).HOST).toBe('127.0.0.1');
    expect(new ExampleConfig({ ENVIRONMENT: 'dev', HOST: '0.0.0.0' }).HOST).toBe('0.0.0.0');
  });

  it('uses a free metrics port when the service uses a free port', () => {
    expect(new ExampleConfig({ ENVIRONMENT: 'dev', PORT: '0' }).METRICS_PORT).toBe(0);
  });

  it('lists the settings that have development values', () => {
    expect(new ExampleConfig({ ENVIRONMENT: 'dev' }).developmentSettings).toEqual(['ISSUER', 'KEY', 'KEYS']);
    expect(new ExampleConfig(safe).developmentSettings).toEqual([]);
  });

  it('names every fault at once, and shows no secret', () => {
    const env = {
      ENVIRONMENT: 'staging',
      COUNT: '11',
      RATIO: 'much',
      ENABLED: 'maybe',
      MODE: 'slow',
      PORT: '1.5',
      KEY: 'dev-only-key',
    };
    const error = faultsOf(env);
    expect(Object.fromEntries(error.faults.map(({ setting, fault }) => [setting, fault.replace(/ \(.*/, '')]))).toEqual(
      {
        PORT: 'must be an integer, not "1.5"',
        COUNT: 'must be at most 10, not 11',
        RATIO: 'must be a number, not "much"',
        ENABLED: 'must be true or false, not "maybe"',
        ISSUER: 'is missing',
        KEY: 'is the development value, which is public',
        NICKNAME: 'is missing',
      },
    );
    expect(error.message).toContain('7 settings are wrong');
    expect(error.message).not.toContain('dev-only-key');
  });

  it('refuses plain http in production and takes it in staging', () => {
    expect(faultsOf({ ...safe, ISSUER: 'http://id.example.com' }).faults).toEqual([
      { setting: 'ISSUER', fault: 'must start with https:// (An issuer)' },
    ]);
    expect(new ExampleConfig({ ...safe, ENVIRONMENT: 'staging', ISSUER: 'http://id' }).ISSUER).toBe('http://id');
  });

  it.each([
    ['KEY', 'a', 'must have at least 16 characters'],
    ['KEY', 'x'.repeat(40), 'must have at least 7 different characters'],
    ['KEY', 'abcabcabcabcabcabcabc', 'must have at least 7 different characters'],
    ['KEY', 'dev-only-first', 'is the development value, which is public'],
    ['KEYS', ',', 'entry 1 is empty|entry 2 is empty'],
    ['KEYS', `${safe.KEY},`, 'entry 2 is empty'],
    ['KEYS', `${safe.KEY},dev-only-first`, 'entry 2 is the development value, which is public'],
    ['KEYS', `${safe.KEY}, dev-only-key`, 'entry 2 is the development value, which is public'],
    ['KEYS', `dev-only-of-another-app,${safe.KEY}`, 'entry 1 is the development value, which is public'],
    ['KEYS', `b,${safe.KEY},c`, 'entry 1 must have at least 16 characters|entry 3 must have at least 16 characters'],
    ['STORE', 'not an address', 'is malformed'],
    ['TRUST_PROXY', 'true', 'must not be true in production'],
    [
      'TRUST_PROXY',
      '10.0.0.0/8,proxy',
      'must be true, false, a number of hops, or addresses and networks, not "proxy"',
    ],
    ['TRUST_PROXY', '0.0.0.0/0', 'must be true, false, a number of hops, or addresses and networks, not "0.0.0.0/0"'],
    [
      'TRUST_PROXY',
      '0.0.0.0/1,128.0.0.0/1',
      'must be true, false, a number of hops, or addresses and networks, not "0.0.0.0/1"',
    ],
    ['TRUST_PROXY', '99', 'must be true, false, a number of hops, or addresses and networks, not "99"'],
  ])('refuses %s=%s in production, and does not show a secret', (name, value, faults) => {
    const error = faultsOf({ ...safe, [name]: value });
    expect(error.faults.map(({ fault }) => fault.replace(/ \(.*|:.*/, '')).join('|')).toBe(faults);
    expect(error.faults.every(({ setting }) => setting === name)).toBe(true);
    for (const entry of value.split(',')) {
      if (entry.trim().length > 3 && name !== 'TRUST_PROXY') expect(error.message).not.toContain(entry.trim());
    }
  });

  it('accepts good secrets and proxies in production, and any in dev', () => {
    const good = {
      KEYS: `${safe.KEY},0123456789abcdef`,
      STORE: 'postgres://user:pw@db/x',
      TRUST_PROXY: '10.0.0.0/8, fd00::/8,::1',
    };
    expect(new ExampleConfig({ ...safe, ...good })).toMatchObject({
      KEYS: [safe.KEY, '0123456789abcdef'],
      STORE: 'postgres://user:pw@db/x',
      TRUST_PROXY: '10.0.0.0/8,fd00::/8,::1',
    });
    for (const TRUST_PROXY of ['false', '2', 'loopback']) {
      expect(new ExampleConfig({ ...safe, TRUST_PROXY }).TRUST_PROXY).toBe(TRUST_PROXY);
    }
    expect(new ExampleConfig({ ENVIRONMENT: 'dev', KEY: 'a', KEYS: 'b', TRUST_PROXY: 'true' }).KEY).toBe('a');
  });

  it('treats an unknown environment as production, and reports it with the other faults', () => {
    expect(faultsOf({ ENVIRONMENT: 'prod' }).faults.map(({ setting }) => setting)).toEqual([
      'ENVIRONMENT',
      'ISSUER',
      'KEY',
    ]);
  });

  it('masks secrets when it is logged', () => {
    const json = JSON.stringify(new ExampleConfig({ ...safe, COLLECTOR: 'http://user:hunter2@collector/' }));
    expect(json).toContain('"KEY":"***"');
    expect(json).not.toContain(safe.KEY);
    expect(json).toContain('"COLLECTOR":"http://user:***@collector/"');
  });

  it('lists its own settings and the base settings for the documentation', () => {
    expect(Object.keys(ExampleConfig.settings)).toEqual(
      expect.arrayContaining(['ENVIRONMENT', 'PORT', 'COUNT', 'PLAIN']),
    );
  });
});

function faultsOf(env: Record<string, string>): ConfigError {
  try {
    new ExampleConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
