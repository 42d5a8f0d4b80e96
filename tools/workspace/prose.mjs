// Plain English, as far as a machine can check it: lines that fit a screen, and none of the words that we avoid.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './projects.mjs';

const lineCharsMax = 120;
const avoided = new RegExp(
  '\\b(anew|mend(s|ed|ing)?|tells|stands|besides|(come|comes|came) (by|to rest)|in force|by itself|thereby|for want of|' +
    'be had|(take|takes|took) (its|their) time|in the clear|doubt|surplus|short way)\\b',
  'i',
);
/** Texts by others, this list and its test, and migrations that have been released. */
const notOurs =
  /^(CODE_OF_CONDUCT\.md|LICENSE|NOTICE|package-lock\.json|tools\/workspace\/prose\.(mjs|spec\.ts)|apps\/priority-api\/src\/migrations.*)$|\/(data|assets)\//;

/**
 * Lines that cannot be wrapped are left out: tables, code, and a link longer than the line.
 * @param {string} text a page
 * @returns {string[]}
 */
export function longLines(text) {
  const lines = text.split('\n');
  const prose = lines.filter((line, index) => {
    const isCode = lines.slice(0, index).filter((each) => each.trimStart().startsWith('```')).length % 2 === 1;
    return !isCode && !/^\s*(\||<!--)/.test(line) && line.trim().includes(' ');
  });
  return prose.filter((line) => line.length > lineCharsMax);
}

/**
 * Comments are not formatted by prettier. Types of parameters and rules of the linter cannot be wrapped.
 * @param {string} text a source
 * @returns {string[]}
 */
export const longComments = (text) =>
  text
    .split('\n')
    .filter((line) => line.length > lineCharsMax && /^\s*(\/\/|\/?\*)/.test(line) && !/@param \{|eslint-/.test(line));

/** @param {string} text @returns {string[]} the lines with a word that we avoid */
export const avoidedWords = (text) => text.split('\n').filter((line) => avoided.test(line));

/** @returns {string[]} a sentence for each fault of the files that git has */
export function proseFaults() {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(md|ts|mjs|js|yaml|yml|tf|sh)$/.test(file) && !notOurs.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const isSource = /(?<!\.generated)\.(ts|mjs|js)$/.test(file);
    const long = file.endsWith('.md') ? longLines(text) : isSource ? longComments(text) : [];
    return [
      ...long.map((line) => `${file}: more than ${lineCharsMax} characters: ${line.trim().slice(0, 60)}...`),
      ...avoidedWords(text).map((line) => `${file}: a word that we avoid: ${line.trim()}`),
    ];
  });
}
