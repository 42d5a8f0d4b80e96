import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const folder = fileURLToPath(new URL('../../../docs/benchmarks/', import.meta.url));
const pages = globSync('*.md', { cwd: folder });

describe('a page of a benchmark', () => {
  it.each(pages)('%s opens with its plot and about five sentences', (page) => {
    const text = readFileSync(`${folder}${page}`, 'utf8');
    const [title, picture, words = ''] = text.split('\n\n');
    expect(title).toMatch(/^# \S/);
    const plot = page.replace(/\.md$/, '.svg');
    expect(picture).toMatch(new RegExp(`^!\\[[^\\]]+\\]\\(${plot.replace('.', '\\.')}\\)$`));
    expect(existsSync(`${folder}${plot}`)).toBe(true);
    const sentences = words.replaceAll('\n', ' ').split(/(?<=\.) (?=[A-Z])/);
    expect(sentences.length).toBeGreaterThanOrEqual(4);
    expect(sentences.length).toBeLessThanOrEqual(7);
  });
});
