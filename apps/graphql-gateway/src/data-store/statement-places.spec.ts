import { describe, expect, it } from '@jest/globals';
import { StatementPlaces } from './statement-places.js';

/** Work that ends when it is told to. */
function work() {
  const begun: string[] = [];
  const ends = new Map<string, (outcome: 'good' | 'bad') => void>();
  return {
    begun,
    do: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (outcome) => (outcome === 'good' ? resolve(name) : reject(new Error(name)))),
      );
    },
    end: async (name: string, outcome: 'good' | 'bad' = 'good') => {
      ends.get(name)!(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const placesOf = (waitMsMax = 60_000) => {
  const refused = { count: 0 };
  const places = new StatementPlaces({
    places: 2,
    waitMsMax,
    retryAfterSeconds: 5,
    message: 'busy',
    onRefused: () => (refused.count += 1),
  });
  return { places, refused };
};

describe('statements', () => {
  it('run as many at once as there are places, and then in the order they came, also after one that fails', async () => {
    const { places, refused } = placesOf();
    const { begun, do: start, end } = work();
    const answers = ['a', 'b', 'c', 'd'].map((name) =>
      places.run(start(name)).catch((error: Error) => `no ${error.message}`),
    );
    await end('a', 'bad');
    expect({ begun, waiting: places.waitingCount }).toEqual({ begun: ['a', 'b', 'c'], waiting: 1 });
    await end('b');
    await end('c');
    await end('d');
    expect(await Promise.all(answers)).toEqual(['no a', 'b', 'c', 'd']);
    // Every place is free again.
    const [e, f] = [places.run(start('e')), places.run(start('f'))];
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await end('e');
    await end('f');
    await Promise.all([e, f]);
    expect(refused.count).toBe(0);
  });

  it('are refused with 503 and Retry-After, without running, when they wait for too long', async () => {
    const { places, refused } = placesOf(20);
    const { begun, do: start, end } = work();
    const first = [places.run(start('a')), places.run(start('b'))];
    const late = ['c', 'd', 'e'].map((name) => places.run(start(name)));
    for (const each of late)
      await expect(each).rejects.toMatchObject({ code: 'data.busy', status: 503, retryAfterSeconds: 5 });
    expect({ begun, refused: refused.count, waiting: places.waitingCount }).toEqual({
      begun: ['a', 'b'],
      refused: 3,
      waiting: 0,
    });
    await end('a');
    await end('b');
    await Promise.all(first);
  });

  it('that run already take a place of others, and nothing begins until there are fewer again', async () => {
    const { places } = placesOf();
    const { begun, do: start, end } = work();
    const first = [places.run(start('a')), places.run(start('b'))];
    const [leave, leaveToo] = [places.take(), places.take()];
    const late = places.run(start('c'));
    await end('a');
    leave();
    expect({ begun, waiting: places.waitingCount }).toEqual({ begun: ['a', 'b'], waiting: 1 });
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    leaveToo();
    const last = places.run(start('d'));
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    await Promise.all([...first, late, last]);
  });
});
