import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasData, prepareDataFolder } from './data-folder.js';

describe('the data folder', () => {
  let parent: string;
  const dataDir = () => join(parent, 'data');
  const prepare = (isDatabaseEmbedded = true) => prepareDataFolder(dataDir(), { isDatabaseEmbedded });
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'tradewind-data-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('is made when it is missing', () => {
    prepare();
    prepare();
    expect(readdirSync(dataDir())).toEqual(['logs']);
    expect(hasData(dataDir())).toBe(false);
  });

  it('is refused with what to do when it is a file', () => {
    writeFileSync(dataDir(), '');
    expect(() => prepare()).toThrow(/data is not a folder\. .*set DATA_DIR to another folder/);
  });

  it('is refused with everything in it that cannot be used', () => {
    mkdirSync(join(dataDir(), 'secrets.json'), { recursive: true });
    mkdirSync(join(dataDir(), 'logs/identity.log'), { recursive: true });
    writeFileSync(join(dataDir(), 'objects'), '');
    expect(() => prepare()).toThrow(
      /objects is not a folder\. Move it away[^]*secrets\.json is not a file[^]*identity\.log is not a file/,
    );
  });

  it('is refused when its database is missing, unless the database is elsewhere', () => {
    prepare();
    writeFileSync(join(dataDir(), 'sample-data.json'), '{}');
    expect(() => prepare()).toThrow(/postgres is missing, and all data with it\. Restore it from a backup, or delete/);
    prepare(false);
    mkdirSync(join(dataDir(), 'postgres'));
    prepare();
  });
});
