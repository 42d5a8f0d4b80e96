import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readSettings } from './settings.js';

describe('readSettings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-seed-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** As `npm start` leaves them. */
  function startPlatform(dataDir: string, portBase: number): void {
    const file = join(folder, dataDir, 'settings/graphql-gateway.env');
    mkdirSync(dirname(file), { recursive: true });
    const identity = `IDENTITY_URL='http://127.0.0.1:${portBase}'`;
    writeFileSync(file, `${identity}\nDATABASE_URL='postgres://here:secret@127.0.0.1:${portBase + 432}/own'\n`);
  }
  const databaseOf = (env: Record<string, string>) => readSettings(env, folder).databaseUrl;

  it('refuses a folder that no platform was started on, whatever PORT_BASE', () => {
    startPlatform('.data', 4000);
    const environments: Record<string, string>[] = [{ DATA_DIR: 'second' }, { DATA_DIR: 'second', PORT_BASE: '4000' }];
    for (const env of environments)
      expect(() => databaseOf(env)).toThrow(
        `No platform has been started on ${join(folder, 'second')}. Run npm start first`,
      );
  });

  it('uses the platform of DATA_DIR', () => {
    startPlatform('.data', 4000);
    startPlatform('second', 7000);
    expect(databaseOf({})).toBe('postgres://here:secret@127.0.0.1:4432/own');
    expect(databaseOf({ DATA_DIR: 'second', PORT_BASE: '7000' })).toBe('postgres://here:secret@127.0.0.1:7432/own');
  });

  it('refuses when PORT_BASE means another platform', () => {
    startPlatform('.data', 4000);
    expect(() => databaseOf({ PORT_BASE: '7000' })).toThrow('PORT_BASE is 7000, but the platform on');
  });

  it('names a damaged file and what to do', () => {
    startPlatform('.data', 4000);
    writeFileSync(join(folder, '.data/settings/graphql-gateway.env'), "IDENTITY_URL='htt");
    expect(() => databaseOf({})).toThrow(/graphql-gateway\.env is damaged: delete it/);
  });

  it('prefers DATABASE_URL, and names every fault', () => {
    startPlatform('.data', 4000);
    expect(databaseOf({ DATABASE_URL: 'postgres://other/db', PORT_BASE: '7000' })).toBe('postgres://other/db');
    expect(() => readSettings({ DATABASE_URL: 'mysql://x', DATABASE_SCHEMA: 'A B' }, folder)).toThrow(
      /DATABASE_URL[^]*DATABASE_SCHEMA/,
    );
  });
});
