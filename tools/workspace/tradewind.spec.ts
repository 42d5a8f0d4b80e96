import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
});
