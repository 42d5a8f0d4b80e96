// Holds docs/security.md to the tests that it names: each is there, and no threat is without one.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './projects.mjs';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const [threats = ''] = page.slice(page.indexOf('\n## 1 ')).split('\n## Accepted');

/** Rows of the tables of threats, each as its cells. */
const rows = threats
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|\s*(?:\||-)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
const tests = [...threats.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title, target]) => ({
  title: title!,
  file: resolve(root, 'docs', target!),
}));

describe('the threat model', () => {
  it('names for each threat its kind, an answer and a test', () => {
    expect(rows.length).toBeGreaterThan(50);
    for (const [kind, threat, answer, test, ...more] of rows) {
      expect(`${threat}: ${kind}`).toMatch(/: [STRIDE]$/);
      expect([threat, Boolean(answer), /\]\(/.test(test ?? ''), more]).toEqual([threat, true, true, []]);
    }
  });

  it('has every kind of threat at the borders that anybody reaches', () => {
    for (const section of threats.split(/^## /m).slice(1, 5)) {
      const kinds = [...section.matchAll(/^\| ([STRIDE]) /gm)].map(([, kind]) => kind);
      expect([section.split('\n')[0], [...new Set(kinds)].join('')]).toEqual([section.split('\n')[0], 'STRIDE']);
    }
  });

  it('links to tests that exist, by their titles', () => {
    const missing = tests.filter(({ title, file }) => {
      if (!/\.(?:spec|int-spec|e2e-spec|opensearch-spec|suite)\.ts$/.test(file) || !existsSync(file)) return true;
      const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
      return !["'", '"', '`'].some((quote) => source.includes(quote + title + quote));
    });
    expect(missing).toEqual([]);
  });
});
