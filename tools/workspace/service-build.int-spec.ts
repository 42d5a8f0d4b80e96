// Small services are built and run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { build } from 'rolldown';
import { serviceBuild } from './service-build.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-service-build-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Builds what these files are, by their paths, and resolves with what the program prints. */
async function printedBy(files: Record<string, string>, more?: Parameters<typeof serviceBuild>[0]): Promise<string> {
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await build({ ...serviceBuild(more), cwd: folder });
  rmSync(join(folder, 'src'), { recursive: true });
  const { stdout, stderr } = spawnSync(process.execPath, ['dist/main.js'], { cwd: folder, encoding: 'utf8' });
  return stdout + stderr;
}

const packageFiles = (name: string, code: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, main: 'index.js' }),
  [`node_modules/${name}/index.js`]: code,
});

it('puts sources and packages into one program, and keeps the names of classes', async () => {
  const files = {
    'src/main.ts': `
      import { Same } from './other.js';
      import { answer } from 'some-package';
      const outer = Same;
      { class Same {} console.log(outer.name, Same.name, answer as number); }`,
    'src/other.ts': 'export class Same {}',
    ...packageFiles('some-package', 'exports.answer = 42;'),
  };
  expect(await printedBy(files)).toBe('Same Same 42\n');
  expect(readFileSync(join(folder, 'dist/main.js'), 'utf8')).not.toContain('some-package"');
});

it('reads decorators and types as tests do', async () => {
  const main = `
    const typesOf = new Map<string, unknown>();
    Object.assign(Reflect, { metadata: (key: string, value: unknown) => () => void typesOf.set(key, value) });
    const field = () => () => undefined;
    class Row { @field() at?: Date; }
    console.log((typesOf.get('design:type') as { name: string }).name, Object.keys(new Row()).length);`;
  expect(await printedBy({ 'src/main.ts': main })).toBe('Date 0\n');
});

it('leaves out what a package asks for in vain, but fails where an own file does', async () => {
  const optional = packageFiles('asks', 'try { require("not-there"); } catch { exports.isThere = false; }');
  const main = "import { isThere } from 'asks'; console.log(isThere);";
  expect(await printedBy({ 'src/main.ts': main, ...optional })).toBe('false\n');
  await expect(printedBy({ 'src/main.ts': "import 'not-there';" })).rejects.toThrow(/not-there/);
});

it('loads pg from its own folder, which OpenTelemetry changes there', async () => {
  const files = { 'src/main.ts': "import pg from 'pg'; console.log(pg.which);" };
  expect(await printedBy({ ...files, ...packageFiles('pg', 'exports.which = __dirname.slice(-2);') })).toBe('pg\n');
});

it('builds more programs beside the first, which share its code but never start it', async () => {
  const files = {
    'src/main.ts': "import { shared } from './shared.js'; console.log('main', shared);",
    'src/thread.ts': "import { shared } from './shared.js'; console.log('thread', shared);",
    'src/shared.ts': 'export const shared = [1];',
  };
  const onWritten = () => writeFileSync(join(folder, 'dist/more.txt'), '');
  expect(await printedBy(files, { programs: { thread: './src/thread.ts' }, onWritten })).toBe('main [ 1 ]\n');
  const thread = spawnSync(process.execPath, ['dist/thread.js'], { cwd: folder, encoding: 'utf8' });
  expect(thread.stdout).toBe('thread [ 1 ]\n');
  expect(existsSync(join(folder, 'dist/more.txt'))).toBe(true);
});

it('maps its lines to our sources alone, without holding them', async () => {
  const fails = "export function fail(): never {\n  throw new Error('planted');\n}";
  const inPackage = packageFiles('calls', 'exports.call = (one) => {\n  one();\n};');
  const main = "import { call } from 'calls';\nimport { fail } from './fails.js';\ncall(fail);";
  await printedBy({ 'src/main.ts': main, 'src/fails.ts': fails, ...inPackage });
  const map = JSON.parse(readFileSync(join(folder, 'dist/main.js.map'), 'utf8')) as Record<string, unknown>;
  expect([map['sources'], map['sourcesContent']]).toEqual([['../src/fails.ts', '../src/main.ts'], undefined]);
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    ...{ cwd: folder, encoding: 'utf8' },
  });
  const places = [...stderr.matchAll(/^ {4}at .*?(src\/\w+\.ts:\d+|dist\/main\.js)/gm)].map(([, place]) => place);
  expect(places).toEqual(['src/fails.ts:2', 'dist/main.js', 'src/main.ts:3']);
});
