// What holds for the settings of every app, by enumeration: a new secret cannot be forgotten.
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apps } from './dockerfiles.mjs';

interface Setting {
  secret?: boolean;
  separator?: string;
  devDefault?: unknown;
}

interface ConfigClass {
  new (env: Record<string, string>): object;
  settings: Record<string, Setting>;
}

const good = 'Xo0LmBqYk2f7Tn4zVr8WcE1s';
const configOf = async (app: string) =>
  ((await import(`../../apps/${app}/src/app.config.js`)) as { AppConfig: ConfigClass }).AppConfig;

/** The settings that a start with this environment names as wrong, with their faults. */
function faultsOf(config: ConfigClass, env: Record<string, string>): [string, string][] {
  try {
    new config(env);
  } catch (error) {
    return (error as { faults: { setting: string; fault: string }[] }).faults.map(({ setting, fault }) => [
      setting,
      fault,
    ]);
  }
  return [];
}

// Names that sound like a secret, except those of numbers and of sums.
const soundsSecret = /SECRET|TOKEN|PASSWORD|CREDENTIAL|_KEYS?$|DATABASE_URL/;
const harmless = /^SERVICE_TOKENS$|_(MS|SECONDS|DAYS|PARALLEL|WAITING)$/;

describe.each(apps)('the settings of %s', (app) => {
  it('are secret when their name says so', async () => {
    const { settings } = await configOf(app);
    const open = Object.keys(settings).filter(
      (name) => soundsSecret.test(name) && !harmless.test(name) && !settings[name]!.secret,
    );
    expect(open).toEqual([]);
  });

  it.each(['staging', 'production'])(
    'take no weak or public secret in %s, and name all faults at once',
    async (ENVIRONMENT) => {
      const config = await configOf(app);
      const secrets = Object.entries(config.settings).filter(([, { secret }]) => secret);
      expect(secrets.length).toBeGreaterThan(0);
      const bad = ['a', 'x'.repeat(64), 'dev-only-anything', 'dev-only-cookie-key-not-for-production'];
      for (const value of bad) {
        const env = Object.fromEntries(secrets.map(([name]) => [name, value]));
        const named = new Set(faultsOf(config, { ENVIRONMENT, ...env }).map(([name]) => name));
        expect(secrets.map(([name]) => name).filter((name) => !named.has(name))).toEqual([]);
      }
      for (const value of [',', `${good},`, `${good},b`, `${good},dev-only-anything`, `${good}, ${'y'.repeat(40)}`]) {
        for (const [name, { separator }] of secrets) {
          if (separator === undefined) continue;
          const named = faultsOf(config, { ENVIRONMENT, [name]: value }).filter(([setting]) => setting === name);
          expect(named).toContainEqual([name, expect.stringMatching(/^entry \d /)]);
        }
      }
      // Their own development values, as one entry of several where that is possible.
      for (const [name, { separator, devDefault }] of secrets) {
        if (devDefault === undefined) continue;
        for (const entry of [devDefault].flat() as string[]) {
          const value = separator === undefined ? entry : `${good},${entry}`;
          expect(faultsOf(config, { ENVIRONMENT, [name]: value })).toContainEqual([
            name,
            expect.stringContaining('is the development value, which is public'),
          ]);
        }
      }
    },
  );

  it.each(['staging', 'production'])('take no sum of a public service token in %s', async (ENVIRONMENT) => {
    const config = await configOf(app);
    if (!('SERVICE_TOKENS' in config.settings)) return;
    const sumOf = (token: string) => createHash('sha256').update(token).digest('hex');
    for (const sum of [sumOf('dev-only-service-token'), 'a'.repeat(64), '01'.repeat(32)]) {
      const SERVICE_TOKENS = `good:${sumOf(good)}:coordinator,bad:${sum}:coordinator`;
      const named = faultsOf(config, { ENVIRONMENT, SERVICE_TOKENS }).filter(([name]) => name === 'SERVICE_TOKENS');
      expect(named).toEqual([['SERVICE_TOKENS', expect.stringMatching(/^entry 2 \(bad\) is /)]]);
    }
  });

  it('are never shown with a secret in them', async () => {
    const config = await configOf(app);
    const secrets = Object.entries(config.settings).filter(([, { secret }]) => secret);
    const marker = 'marker-of-the-test-0123';
    const env = Object.fromEntries(
      secrets.map(([name]) => [name, name.endsWith('_URL') ? `postgres://user:${marker}@host/db` : marker]),
    );
    // An address that is meant for none may be given credentials all the same.
    const all = { ENVIRONMENT: 'dev', OAUTH_ISSUER: 'http://localhost:4000', OBJECT_STORE_DIR: '/tmp', ...env };
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${marker}@collector:4318` };
    expect(JSON.stringify(new config({ ...all, ...collector }))).not.toContain(marker);
    expect(JSON.stringify(faultsOf(config, { ...all, ...collector, ENVIRONMENT: 'nowhere' }))).not.toContain(marker);
  });
});

it('graphql-gateway takes a cluster of OpenSearch in production only by https', async () => {
  const config = await configOf('graphql-gateway');
  const faultOf = (url: string) =>
    faultsOf(config, { ENVIRONMENT: 'production', OPENSEARCH_URL: url }).find(([name]) => name === 'OPENSEARCH_URL');
  expect(faultOf('http://opensearch:9200')).toEqual([
    'OPENSEARCH_URL',
    expect.stringMatching(/^must start with https:/),
  ]);
  expect(faultOf('https://opensearch:9200')).toBeUndefined();
});
