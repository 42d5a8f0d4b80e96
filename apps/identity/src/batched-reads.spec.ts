import { describe, expect, it } from '@jest/globals';
import { batchedReads } from './batched-reads.js';

function recorded() {
  const batches: string[][] = [];
  const answers: (() => void)[] = [];
  const reads = batchedReads<string>(async (keys) => {
    batches.push(keys);
    await new Promise<void>((resolve) => answers.push(resolve));
    if (keys.includes('broken')) throw new Error('broken');
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]));
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { batches, reads, turn, answer: () => answers.shift()?.() };
}

describe('batched reads', () => {
  it('sends the reads of one turn together, each key once', async () => {
    const { batches, reads, turn, answer } = recorded();
    const found = Promise.all(['a', 'b', 'a', 'missing'].map((key) => reads.load(key)));
    await turn();
    answer();
    expect(await found).toEqual(['A', 'B', 'A', undefined]);
    expect(batches).toEqual([['a', 'b', 'missing']]);
  });

  it('never answers from a statement that began before the read', async () => {
    const { batches, reads, turn, answer } = recorded();
    const first = reads.load('a');
    await turn();
    const second = reads.load('a');
    await turn();
    expect(batches).toEqual([['a'], ['a']]);
    answer();
    answer();
    expect(await Promise.all([first, second])).toEqual(['A', 'A']);
  });

  it('collects reads while two statements run', async () => {
    const { batches, reads, turn, answer } = recorded();
    const all: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      all.push(reads.load(key));
      await turn();
    }
    expect(batches).toEqual([['a'], ['b']]);
    answer();
    await turn();
    expect(batches).toEqual([['a'], ['b'], ['c', 'd']]);
    answer();
    answer();
    expect(await Promise.all(all)).toEqual(['A', 'B', 'C', 'D']);
  });

  it('a failure rejects every read of its statement and no other', async () => {
    const { reads, turn, answer } = recorded();
    const failed = Promise.allSettled([reads.load('a'), reads.load('broken')]);
    await turn();
    answer();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = reads.load('a');
    await turn();
    answer();
    expect(await next).toBe('A');
  });
});
