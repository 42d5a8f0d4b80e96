// Plain English, as far as a machine can check it: lines that fit a screen, and none of the words that we avoid.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './projects.mjs';

const lineCharsMax = 120;
const avoided = new RegExp(
  '\\b(anew|mend(s|ed|ing)?|tells|stands|besides|(come|comes|came) (by|to rest)|in force|by itself|thereby|for want of|' +
    'be had|(take|takes|took) (its|their) time|in the clear)\\b',
  'i',
);
/** Texts by others, and this list itself. */
const notOurs =
  /^(CODE_OF_CONDUCT\.md|LICENSE|NOTICE|package-lock\.json|tools\/workspace\/prose\.spec\.ts)$|\/(data|assets)\//;

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|ts|mjs|js|yaml|yml|tf|sh)$/.test(file) && !notOurs.test(file));
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n');

/** Lines that cannot be wrapped are left out: tables, code, and a link longer than the line. */
function longLines(page: string): string[] {
  const lines = linesOf(page);
  const prose = lines.filter((line, index) => {
    const isCode = lines.slice(0, index).filter((each) => each.trimStart().startsWith('```')).length % 2 === 1;
    return !isCode && !/^\s*(\||<!--)/.test(line) && line.trim().includes(' ');
  });
  return prose.filter((line) => line.length > lineCharsMax);
}

/** Comments are not formatted by prettier. Types of parameters and rules of the linter cannot be wrapped. */
const longComments = (file: string): string[] =>
  linesOf(file).filter(
    (line) => line.length > lineCharsMax && /^\s*(\/\/|\/?\*)/.test(line) && !/@param \{|eslint-/.test(line),
  );

describe('prose', () => {
  const pages = files.filter((file) => file.endsWith('.md'));
  it.each(pages)(`%s has no line of more than ${lineCharsMax} characters`, (page) => {
    expect(longLines(page)).toEqual([]);
  });

  it(`has no comment line of more than ${lineCharsMax} characters`, () => {
    const sources = files.filter((file) => /(?<!\.generated)\.(ts|mjs|js)$/.test(file));
    expect(sources.flatMap(longComments)).toEqual([]);
  });

  it('uses none of the words that we avoid', () => {
    const found = files.flatMap((file) =>
      linesOf(file)
        .map((line, index) => `${file}:${index + 1}: ${line.trim()}`)
        .filter((line) => avoided.test(line)),
    );
    expect(found).toEqual([]);
  });
});
