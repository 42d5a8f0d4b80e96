// The table in docs/conformance.md lists where each module of the OpenID conformance suite is tested. Every test it
// names must exist, and it must list every test named after a module.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

const table = read('../docs/conformance.md');
const titles = (file: string): string[] =>
  [...read(`./${file}`).matchAll(/\bit(?:\.each\([\s\S]*?\))?\(\s*(['"`])(.*?)\1,/g)].map(([, , title = '']) => title);

/** Rows of the table: the modules, and what is said about them. */
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| oidcc'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, modules = '', here = '']) => ({ modules, here }));

describe('the table of conformance modules', () => {
  it('has rows without an empty cell', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter(({ here }) => here === '')).toEqual([]);
  });

  it.each(
    rows.flatMap(({ modules, here }) =>
      [...here.matchAll(/"([^"]+)"/g)].map(([quoted, title = '']) => {
        const file = /\[`([\w-]+)`\]/.exec(here.slice(0, here.indexOf(quoted)))?.[1] ?? 'conformance';
        return { modules, title, file: `${file}.e2e-spec.ts` };
      }),
    ),
  )('$modules: "$title" is a test in $file', ({ title, file }) => {
    const wanted = title.replace(/-?\*$/, '');
    expect(titles(file).filter((one) => one.includes(wanted))).not.toEqual([]);
  });

  it('links to test files that exist', () => {
    const links = [...table.matchAll(/\]\(\.\.\/test\/([\w.-]+)\)/g)].map(([, file = '']) => file);
    expect(links.length).toBeGreaterThan(5);
    for (const file of links) expect(titles(file)).not.toEqual([]);
  });

  it('names every test that is named after a module', () => {
    const missing = titles('conformance.e2e-spec.ts')
      .flatMap((title) => /^oidcc-[\w-]+/.exec(title)?.[0] ?? [])
      .filter((module) => !table.includes(module.replace(/-$/, '')));
    expect(missing).toEqual([]);
  });
});
