import { describe, expect, it, jest } from '@jest/globals';
import { GroupCommit } from './group-commit.js';

/** A writer whose groups end when the test says so. */
function heldWriter() {
  const groups: { items: number[]; end: (error?: Error) => void }[] = [];
  const write = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      groups.push({ items, end: (error) => (error ? reject(error) : resolve(items.map(String))) });
    });
  return { groups, write };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('GroupCommit', () => {
  it('gathers what arrives while a group is written, and gives each item its own result', async () => {
    const { groups, write } = heldWriter();
    const commit = new GroupCommit({ write, groupSizeMax: 10 });
    const first = commit.add(1);
    await turn();
    const later = [2, 3, 4].map((item) => commit.add(item));
    await turn();
    expect(groups.map(({ items }) => items)).toEqual([[1]]);
    groups[0]!.end();
    await expect(first).resolves.toBe('1');
    await turn();
    expect(groups[1]!.items).toEqual([2, 3, 4]);
    groups[1]!.end();
    await expect(Promise.all(later)).resolves.toEqual(['2', '3', '4']);
  });

  it('keeps to the size of a group and to the number written at once', async () => {
    const { groups, write } = heldWriter();
    const commit = new GroupCommit({ write, groupSizeMax: 2, parallel: 2 });
    const all = [1, 2, 3, 4, 5].map((item) => commit.add(item));
    await turn();
    await turn();
    expect(groups.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(commit.waitingCount).toBe(1);
    groups[0]!.end();
    await turn();
    await turn();
    groups[1]!.end();
    groups[2]!.end();
    await expect(Promise.all(all)).resolves.toEqual(['1', '2', '3', '4', '5']);
  });

  it('begins a group beside another only after a while, and at once when that one ends', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const { groups, write } = heldWriter();
      const commit = new GroupCommit({ write, groupSizeMax: 10, parallel: 2, besideAfterMs: 20 });
      const first = commit.add(1);
      await turn();
      const held = [2, 3].map((item) => commit.add(item));
      jest.advanceTimersByTime(19);
      await turn();
      expect(groups.map(({ items }) => items)).toEqual([[1]]);
      jest.advanceTimersByTime(2);
      await turn();
      expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3]]);
      const last = commit.add(4);
      groups[1]!.end();
      await expect(Promise.all(held)).resolves.toEqual(['2', '3']);
      groups[0]!.end();
      await expect(first).resolves.toBe('1');
      while (groups.length < 3) await turn();
      groups[2]!.end();
      await expect(last).resolves.toBe('4');
    } finally {
      jest.useRealTimers();
    }
  });

  it('fails exactly the items of the group that failed', async () => {
    const { groups, write } = heldWriter();
    const commit = new GroupCommit({ write, groupSizeMax: 1 });
    const [failing, fine] = [commit.add(1), commit.add(2)];
    await turn();
    groups[0]!.end(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    await turn();
    groups[1]!.end();
    await expect(fine).resolves.toBe('2');
  });
});
