// The pages of the repository, and what a machine can check of them: their words and their links.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from './projects.mjs';

/** Every page of the repository. */
export const pages = globSync('{*.md,docs/**/*.md,{apps,libs,tools,e2e,deploy}/**/*.md}', {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
}).sort();

const withoutFences = (text) => text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
const withoutCode = (text) => withoutFences(text).replace(/`[^`]+`/g, ' ');

/**
 * Targets of a page's links to other pages and headings, in their order.
 * @param {string} text
 * @returns {string[]}
 */
export function linksOf(text) {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** @param {string} text @returns the anchors that GitHub gives to the headings of a page */
function anchorsOf(text) {
  return [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

/**
 * @param {string[]} all pages
 * @returns those that no path of links leads to from the index
 */
export function unlinkedPages(all, folder = root, index = 'docs/README.md') {
  const found = new Set([index]);
  // A set also visits what is added meanwhile.
  for (const page of found)
    for (const link of linksOf(readFileSync(join(folder, page), 'utf8'))) {
      const target = join(dirname(page), link.split('#')[0]);
      for (const path of [target, join(target, 'README.md')]) if (all.includes(path)) found.add(path);
    }
  return all.filter((page) => !found.has(page));
}

/** @param {string} page @returns the links of a page that lead nowhere */
export function brokenLinks(page, folder = root) {
  return linksOf(readFileSync(join(folder, page), 'utf8')).filter((link) => {
    const [path, anchor] = link.split('#');
    const target = path === '' ? join(folder, page) : resolve(folder, dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
}

/** @param {string} text @returns the words of its prose: not code, addresses, or names with capitals inside */
export function wordsOf(text) {
  const prose = withoutCode(text)
    .replace(/<!--[\s\S]*?-->|<[^>]*>/g, ' ')
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/https?:\/\/\S+|\S+@\S+/g, ' ');
  return [...prose.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’_./:-]*/gu)]
    .map(([word]) => word)
    .filter((word) => !/[\p{N}_/:]|\.\p{L}/u.test(word))
    .flatMap((word) => word.split(/[-.]/))
    .map((word) => word.replaceAll('’', "'").replace(/'s?$/, ''))
    .filter((word) => /^\p{Lu}?\p{Ll}+('\p{Ll}+)?$/u.test(word));
}

/**
 * @param {Record<string, string>} texts by page
 * @param {(word: string) => boolean} isKnown
 * @returns each word that is not known, with the first page that has it
 */
export function unknownWords(texts, isKnown) {
  const unknown = new Map();
  for (const [page, text] of Object.entries(texts))
    for (const word of wordsOf(text)) if (!isKnown(word) && !unknown.has(word)) unknown.set(word, page);
  return unknown;
}
