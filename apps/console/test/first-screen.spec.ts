// What a browser loads before a person sees the first screen. The build of this project runs before its tests.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const web = fileURLToPath(new URL('../dist/web/', import.meta.url));
const bytesMax = 250_000;

/** A file and what it imports before it runs. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(web, file), 'utf8');
  for (const [, name] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    withImports(`assets/${name}`, found);
  }
  return found;
}

describe('the first screen', () => {
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file]) => file!);
  const screens = readdirSync(join(web, 'assets')).filter((file) => file.endsWith('.js') && file.includes('-screen-'));
  const overview = screens.find((file) => file.startsWith('overview-screen-'))!;

  it('is less than 250 kB, compressed', () => {
    const files = new Set(['index.html', ...named]);
    for (const file of [...named.filter((one) => one.endsWith('.js')), `assets/${overview}`]) withImports(file, files);
    const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(web, file))).length, 0);
    expect(files.size).toBeGreaterThan(4);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(bytesMax);
  });

  it('does not load the other screens', () => {
    expect(screens.length).toBeGreaterThan(5);
    const loaded = withImports(named.find((file) => file.endsWith('.js'))!);
    expect(screens.filter((file) => loaded.has(`assets/${file}`))).toEqual([]);
  });

  it('asks no other site for anything, and has no script in the page itself', () => {
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
    expect(page).not.toMatch(/\son\w+=/);
  });
});
