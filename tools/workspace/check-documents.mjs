// Holds all text to plain words and short lines, and the pages to their spelling and links. Every word is in the
// dictionary of British English or in words.txt. Every link leads to a file and to a heading in it, and links lead from
// the index to every page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import dictionary from 'dictionary-en-gb';
import nspell from 'nspell';
import { brokenLinks, pages, unknownWords, unlinkedPages, wordsOf } from './documents.mjs';
import { root } from './projects.mjs';
import { proseFaults } from './prose.mjs';

const wordsFile = 'tools/workspace/words.txt';
/** Written by others. */
const notOurs = ['CODE_OF_CONDUCT.md'];

const ours = pages.filter((page) => !notOurs.includes(page));
const texts = Object.fromEntries(ours.map((page) => [page, readFileSync(join(root, page), 'utf8')]));
const terms = readFileSync(join(root, wordsFile), 'utf8').split('\n').filter(Boolean);
const spelling = nspell(dictionary);
const unknown = unknownWords(texts, (word) => spelling.correct(word) || terms.includes(word.toLowerCase()));
const used = new Set(Object.values(texts).flatMap((text) => wordsOf(text).map((word) => word.toLowerCase())));
const faults = [
  ...proseFaults(),
  ...pages.flatMap((page) => brokenLinks(page).map((link) => `${page}: the link ${link} leads nowhere`)),
  ...unlinkedPages(pages).map((page) => `${page}: no links lead to it from docs/README.md`),
  ...[...unknown].map(
    ([word, page]) =>
      `${page}: is "${word}" spelled right? The dictionary has: ${spelling.suggest(word).slice(0, 3).join(', ') || 'nothing like it'}`,
  ),
  ...terms.filter((word) => !used.has(word)).map((word) => `${wordsFile}: no page uses "${word}"`),
];
for (const fault of faults) console.error(fault);
if (unknown.size > 0) console.error(`A term or a name belongs in ${wordsFile}.`);
process.exitCode = faults.length > 0 ? 1 : 0;
