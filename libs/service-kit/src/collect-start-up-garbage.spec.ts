import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { collectStartUpGarbage } from './collect-start-up-garbage.js';

describe('collectStartUpGarbage', () => {
  it('frees what nothing refers to, and nothing else', async () => {
    const held = { text: 'held' };
    const heldReference = new WeakRef(held);
    const reference = new WeakRef({ text: 'not held' });
    // A reference made in this turn of the event loop keeps its object until the next.
    await turn();
    collectStartUpGarbage();
    expect(reference.deref()).toBeUndefined();
    expect(heldReference.deref()).toBe(held);
  });
});
