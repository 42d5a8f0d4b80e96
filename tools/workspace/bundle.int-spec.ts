import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** An app with everything that bundling could break. */
const files = {
  'apps/small/package.json': '{"type": "module"}',
  'apps/small/dist/main.js': `
    import { readFileSync } from 'node:fs';
    import pg from 'pg';
    import { data, fail, same } from 'inside';
    import { Same } from './feature.js';
    class Local { static Same = class Same {}; }
    const absent = await import('absent').then(() => 'there', (error) => error.code);
    const lazy = await import('./lazy.js');
    let stack = '';
    try { fail(); } catch (error) { stack = error.stack; }
    console.log(JSON.stringify({
      data, same, absent, stack, lazy: lazy.value, pg: pg.place,
      names: [Same.name, Local.Same.name, lazy.Same.name],
      asset: readFileSync(new URL('asset.txt', import.meta.url), 'utf8'),
      hasMetadata: globalThis.metadataAtFeature,
      later: await import('later').then(({ named, default: whole }) => ({ named, whole })),
    }));`,
  'apps/small/dist/feature.js': `
    globalThis.metadataAtFeature = typeof Reflect.getOwnMetadata;
    export class Same {}`,
  'apps/small/dist/lazy.js': `export const value = 'lazy';
    export class Same {}`,
  'apps/small/dist/asset.txt': 'an asset',
  'node_modules/inside/package.json': '{"main": "index.js"}',
  'node_modules/inside/index.js': `'use strict';
const { readFileSync } = require('node:fs');
exports.data = readFileSync(__dirname + '/data.txt', 'utf8');
exports.same = this === exports && (function () { return this === undefined; })();
function thrower() {
  throw new Error('from a package');
}
exports.fail = () => thrower();`,
  'node_modules/inside/data.txt': 'data',
  'node_modules/later/package.json': '{"main": "index.js"}',
  'node_modules/later/index.js': `Object.defineProperty(exports, '__esModule', { value: true });
    exports.named = 'a name';
    exports.default = 'one of the names, to Node';`,
  'node_modules/pg/package.json': '{"main": "index.js"}',
  'node_modules/pg/index.js': 'exports.place = __filename;',
  'node_modules/reflect-metadata/package.json': '{"main": "index.js"}',
  'node_modules/reflect-metadata/index.js': 'Reflect.getOwnMetadata = () => undefined;',
};

describe('the bundle of an app', () => {
  let root: string;
  let told: Record<string, unknown>;
  const run = (...words: string[]) =>
    execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tradewind-bundle-'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    run(here('bundle.mjs'), 'small');
    told = JSON.parse(run('--enable-source-maps', 'apps/small/bundle/main.js')) as typeof told;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('finds the files that lie beside modules, ours and those of packages', () => {
    expect(told).toMatchObject({ asset: 'an asset', data: 'data' });
  });

  it('keeps the names of classes, also of those that share one', () => {
    expect(told['names']).toEqual(['Same', 'Same', 'Same']);
  });

  it('keeps strict mode and what this is in a CommonJS module', () => {
    expect(told['same']).toBe(true);
  });

  it('loads what is imported later, and misses an absent optional package only then', () => {
    expect(told).toMatchObject({ lazy: 'lazy', absent: 'ERR_MODULE_NOT_FOUND' });
  });

  it('gives the names of a CommonJS package that is imported later, as Node does', () => {
    const whole = { named: 'a name', default: 'one of the names, to Node' };
    expect(told['later']).toEqual({ named: 'a name', whole });
  });

  it('has metadata before anything of the app is loaded', () => {
    expect(told['hasMetadata']).toBe('function');
  });

  it('tells in a stack trace which function of which file it was', () => {
    const stack = String(told['stack']);
    expect(stack).toMatch(/at thrower \(.*node_modules\/inside\/index\.js:5:\d+\)/);
    expect(stack).toMatch(/apps\/small\/dist\/main\.js:10:\d+/);
  });

  it('holds the packages it names, and leaves the others where they are', () => {
    expect(JSON.parse(readFileSync(join(root, 'apps/small/bundle/packages.json'), 'utf8'))).toEqual([
      'node_modules/inside',
      'node_modules/later',
    ]);
    expect(told['pg']).toMatch(/node_modules\/pg\/index\.js$/);
  });

  it('is found out when a package is loaded a second time from node_modules', () => {
    const check = ['--import', here('second-copies.mjs'), 'apps/small/bundle/main.js'];
    expect(() => run(...check)).not.toThrow();
    writeFileSync(join(root, 'apps/small/bundle/packages.json'), '["node_modules/pg"]');
    expect(() => run(...check)).toThrow('node_modules/pg/index.js');
  });
});
