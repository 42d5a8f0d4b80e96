import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commandEnvironment, usage } from './tradewind.mjs';
import { apps } from './dockerfiles.mjs';

describe('npx tradewind', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-commands-'));
    mkdirSync(join(folder, '.data/settings'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (text: string) => writeFileSync(join(folder, '.data/settings/identity.env'), text);
  const settings =
    "OAUTH_ISSUER='http://localhost:4100'\nDATABASE_URL='postgres://of-the-platform'\nLOG_LEVEL='warn'\n";

  it('knows every service', () => {
    expect([...usage.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name]) => name).sort()).toEqual(apps);
  });

  it('takes the settings of the platform before those of the shell, except the level of the log', () => {
    write(settings);
    const env = { PORT_BASE: '4100', DATABASE_URL: 'postgres://another', LOG_LEVEL: 'debug', PATH: '/bin' };
    expect(commandEnvironment('identity', env, folder)).toEqual({
      ...env,
      OAUTH_ISSUER: 'http://localhost:4100',
      DATABASE_URL: 'postgres://of-the-platform',
    });
  });

  it('refuses a PORT_BASE of another platform', () => {
    write(settings);
    expect(() => commandEnvironment('identity', { PORT_BASE: '4000' }, folder)).toThrow(/4000.*started with 4100/);
  });

  it('says what to do when no platform was started, or its settings are damaged', () => {
    expect(() => commandEnvironment('identity', { DATA_DIR: 'other' }, folder)).toThrow('Run npm start first');
    write('OAUTH_ISSUER=');
    expect(() => commandEnvironment('identity', {}, folder)).toThrow(/identity\.env is damaged\. Delete it/);
    write("OAUTH_ISSUER='http://localhost:4100'\n");
    expect(() => commandEnvironment('identity', {}, folder)).toThrow(/identity\.env is damaged\. Delete it/);
  });

  it('loads what the platform has compiled, once that is complete', () => {
    const cache = join(folder, '.data/compile-cache');
    mkdirSync(cache);
    const script = new URL('tradewind.mjs', import.meta.url).pathname;
    const run = () =>
      execFileSync(process.execPath, [script, 'priority-webhook', '--help'], {
        env: { PATH: process.env['PATH'], DATA_DIR: join(folder, '.data') },
        encoding: 'utf8',
      });
    expect(run()).toContain('tradewind priority-webhook');
    expect(readdirSync(cache)).toEqual([]);
    writeFileSync(join(cache, 'complete'), '');
    expect(run()).toContain('tradewind priority-webhook');
    // Node keeps a folder for each of its versions.
    expect(readdirSync(cache)).toEqual(['complete', expect.stringMatching(/^v\d/)]);
  }, 60_000);
});
