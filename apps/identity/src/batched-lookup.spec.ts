import { describe, expect, it } from '@jest/globals';
import { BatchedLookup } from './batched-lookup.js';

function recorded() {
  const batches: string[][] = [];
  const answers: (() => void)[] = [];
  const lookup = new BatchedLookup<string>(async (keys) => {
    batches.push(keys);
    await new Promise<void>((resolve) => answers.push(resolve));
    if (keys.includes('broken')) throw new Error('broken');
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]));
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { batches, lookup, turn, answer: () => answers.shift()?.() };
}

describe('BatchedLookup', () => {
  it('asks for everything of one turn at once, each key once', async () => {
    const { batches, lookup, turn, answer } = recorded();
    const found = Promise.all(['a', 'b', 'a', 'missing'].map((key) => lookup.find(key)));
    await turn();
    answer();
    expect(await found).toEqual(['A', 'B', 'A', undefined]);
    expect(batches).toEqual([['a', 'b', 'missing']]);
  });

  it('never answers from a statement that began before the look-up', async () => {
    const { batches, lookup, turn, answer } = recorded();
    const first = lookup.find('a');
    await turn();
    const second = lookup.find('a');
    await turn();
    expect(batches).toEqual([['a'], ['a']]);
    answer();
    answer();
    expect(await Promise.all([first, second])).toEqual(['A', 'A']);
  });

  it('gathers behind two statements under way', async () => {
    const { batches, lookup, turn, answer } = recorded();
    const all: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      all.push(lookup.find(key));
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

  it('a failure reaches everyone of its statement and nobody else', async () => {
    const { lookup, turn, answer } = recorded();
    const failed = Promise.allSettled([lookup.find('a'), lookup.find('broken')]);
    await turn();
    answer();
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = lookup.find('a');
    await turn();
    answer();
    expect(await next).toBe('A');
  });
});
