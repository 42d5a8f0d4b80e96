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
  it('gathers items while a group is written, and returns each its own result', async () => {
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

  it('keeps to the largest group and to the number of parallel writes', async () => {
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

  it('begins a parallel group only after a pause, or at once when the other ends', async () => {
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

  it('rejects exactly the items of the group that failed', async () => {
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

  it.each([
    ['a value that PostgreSQL refuses', Object.assign(new Error('invalid byte sequence'), { code: '22021' })],
    ['a row that cannot be', { driverError: Object.assign(new Error('duplicate key'), { code: '23505' }) }],
    ['a value that cannot be written as JSON', new RangeError('Maximum call stack size exceeded')],
  ])('rejects the faulty items alone for %s', async (_name, fault) => {
    const error = fault instanceof Error ? fault : Object.assign(new Error('wrapped'), fault);
    const written: number[] = [];
    const write = async (items: number[]) => {
      if (items.some((item) => item % 10 === 7)) throw error;
      written.push(...items);
      return items.map(String);
    };
    const commit = new GroupCommit({ write, groupSizeMax: 100, splitsFaultyGroups: true });
    const items = Array.from({ length: 40 }, (_, index) => index);
    const results = await Promise.allSettled(items.map((item) => commit.add(item)));
    expect(results.map(({ status }) => status)).toEqual(
      items.map((item) => (item % 10 === 7 ? 'rejected' : 'fulfilled')),
    );
    expect(written).toEqual(items.filter((item) => item % 10 !== 7));
  });

  it.each([
    ['the database is away', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), true],
    ['it is stopped', Object.assign(new Error('terminated'), { code: '57P01' }), true],
    ['a statement takes too long', Object.assign(new Error('canceled'), { code: '57014' }), true],
    ['a write may not be repeated', Object.assign(new Error('invalid'), { code: '22021' }), false],
  ])('writes a group once when %s', async (_name, error, splitsFaultyGroups) => {
    let writes = 0;
    const write = async (): Promise<string[]> => {
      writes += 1;
      throw error;
    };
    const commit = new GroupCommit<number, string>({ write, groupSizeMax: 100, splitsFaultyGroups });
    const results = await Promise.allSettled([1, 2, 3].map((item) => commit.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(writes).toBe(1);
  });
});
