import { describe, expect, it } from '@jest/globals';
import { FolderFlush } from './folder-flush.js';

/** Flushes that end when told, in the order in which they began. */
function controlled() {
  const begun: { folder: string; end: (error?: Error) => void }[] = [];
  const flush = new FolderFlush(
    (folder) =>
      new Promise((resolve, reject) => begun.push({ folder, end: (error) => (error ? reject(error) : resolve()) })),
  );
  return { flush, begun };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FolderFlush', () => {
  it('shares one flush among all who ask before it begins, and never one that has begun', async () => {
    const { flush, begun } = controlled();
    const first = [flush.covering('a'), flush.covering('a')];
    await turn();
    expect(begun).toHaveLength(1);
    const late = [flush.covering('a'), flush.covering('a'), flush.covering('a')];
    let lateEnded = 0;
    for (const one of late) void one.then(() => (lateEnded += 1));
    begun[0]!.end();
    await Promise.all(first);
    await turn();
    expect([begun.length, lateEnded]).toEqual([2, 0]);
    begun[1]!.end();
    await Promise.all(late);
    expect(begun).toHaveLength(2);
  });

  it('keeps folders apart', async () => {
    const { flush, begun } = controlled();
    const both = [flush.covering('a'), flush.covering('b')];
    await turn();
    expect(begun.map(({ folder }) => folder)).toEqual(['a', 'b']);
    for (const { end } of begun) end();
    await Promise.all(both);
  });

  it('reports a failure to those who shared it, and flushes again for the next', async () => {
    const { flush, begun } = controlled();
    const failing = flush.covering('a');
    const failed = expect(failing).rejects.toThrow('disk');
    await turn();
    const next = flush.covering('a');
    begun[0]!.end(new Error('disk'));
    await failed;
    await turn();
    begun[1]!.end();
    await next;
  });
});
