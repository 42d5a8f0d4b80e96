import { describe, expect, it } from '@jest/globals';
import { FairQueue, type Origin } from './fair-queue.js';

const from = (key: string): Origin => ({ isKnown: false, key });
const known = (key: string): Origin => ({ isKnown: true, key });

/** A queue whose one place is taken until `release`, and the order in which the origins are served afterwards. */
function queueOf(waitingMax: number) {
  const queue = new FairQueue({ parallel: 1, waitingMax, refusal: () => new Error('full') });
  const served: string[] = [];
  const refused: string[] = [];
  let release: () => void = () => undefined;
  const all: Promise<unknown>[] = [queue.run(from('first'), () => new Promise<void>((resolve) => (release = resolve)))];
  return {
    served,
    refused,
    add: (origin: Origin, name = origin.key) => {
      const run = queue.run(origin, () => Promise.resolve(served.push(name)));
      all.push(run.catch((error: Error) => refused.push(`${name}: ${error.message}`)));
    },
    finish: async () => {
      release();
      await Promise.all(all);
    },
  };
}

describe('FairQueue', () => {
  it('serves networks in turn, and each in the order of its logins', async () => {
    const queue = queueOf(10);
    for (const name of ['a1', 'a2', 'a3']) queue.add(from('a'), name);
    for (const name of ['b1', 'b2']) queue.add(from('b'), name);
    queue.add(from('c'), 'c1');
    await queue.finish();
    expect(queue.served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('serves known browsers before all others', async () => {
    const queue = queueOf(300);
    for (let n = 0; n < 200; n += 1) queue.add(from(`flood ${n % 50}`));
    queue.add(known('browser'));
    await queue.finish();
    expect(queue.served[0]).toBe('browser');
    expect(queue.served).toHaveLength(201);
  });

  it('serves others too, however many known browsers wait', async () => {
    const queue = queueOf(100);
    for (let n = 0; n < 40; n += 1) queue.add(known(`browser ${n}`));
    for (let n = 0; n < 3; n += 1) queue.add(from('other'), `other ${n}`);
    await queue.finish();
    expect(queue.served.map((name, place) => (name.startsWith('other') ? place : -1)).filter((n) => n >= 0)).toEqual([
      3, 7, 11,
    ]);
  });

  it('when full, refuses only the newest login of the origin that has most', async () => {
    const queue = queueOf(4);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.add(from('a'), name);
    queue.add(from('b'), 'b1');
    queue.add(from('c'), 'c1');
    queue.add(from('c'), 'c2');
    queue.add(known('browser'));
    await queue.finish();
    expect(queue.refused.sort()).toEqual(['a3: full', 'a4: full', 'a5: full', 'c2: full']);
    expect(queue.served).toEqual(['browser', 'a1', 'b1', 'c1', 'a2']);
  });

  it('continues after work that fails, and never exceeds its places', async () => {
    const queue = new FairQueue({ parallel: 2, waitingMax: 10, refusal: () => new Error('full') });
    let running = 0;
    let runningMax = 0;
    const work = async () => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      throw new Error('failed');
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => queue.run(from('a'), work)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array<string>(8).fill('rejected'));
    expect(runningMax).toBe(2);
    await expect(queue.run(from('a'), () => Promise.resolve('done'))).resolves.toBe('done');
  });
});
