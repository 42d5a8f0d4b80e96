import { describe, expect, it } from '@jest/globals';
import { folderCycles } from './folder-cycles.mjs';

/** `a/x.ts > b/y.ts` as dependency-cruiser has it. */
const modules = (...imports: string[]) =>
  imports.map((text) => {
    const [source, resolved] = text
      .split(' > ')
      .map((path) => (path.includes('/src/') ? path : `apps/one/src/${path}`));
    return { source: source!, dependencies: [{ resolved: resolved! }] };
  });
const cyclesOf = (...imports: string[]) => folderCycles(modules(...imports), /\.spec\.ts$/);

describe('folderCycles', () => {
  it('is content with imports in one direction, and with files that lie in no folder', () => {
    expect(cyclesOf('a/x.ts > b/y.ts', 'a/x.ts > c/z.ts', 'b/y.ts > c/z.ts')).toEqual([]);
    expect(cyclesOf('app.ts > a/x.ts', 'a/x.ts > app.ts', 'a/x.ts > a/deep/y.ts', 'a/deep/y.ts > a/x.ts')).toEqual([]);
  });

  it('names two folders that import each other, with the imports', () => {
    const [sentence] = cyclesOf('a/x.ts > b/y.ts', 'b/other.ts > a/x.ts', 'b/y.ts > c/z.ts');
    expect(sentence).toContain('apps/one: the folders a, b import each other');
    expect(sentence).toContain('apps/one/src/b/other.ts imports apps/one/src/a/x.ts');
    expect(sentence).not.toContain('c/z.ts');
  });

  it('finds a circle of three', () => {
    expect(cyclesOf('a/x.ts > b/y.ts', 'b/y.ts > c/z.ts', 'c/z.ts > a/x.ts')[0]).toContain('a, b, c');
  });

  it('leaves tests and other projects out', () => {
    expect(cyclesOf('a/x.spec.ts > b/y.ts', 'b/y.ts > a/x.ts')).toEqual([]);
    expect(cyclesOf('a/x.ts > libs/l/src/b/y.ts', 'libs/l/src/b/y.ts > a/x.ts')).toEqual([]);
  });
});
