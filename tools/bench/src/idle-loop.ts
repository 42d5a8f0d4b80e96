// The limit for holds of an event loop: the longest hold of one that does nothing. The machine itself may stop all
// processes for a while, as a busy host does with a virtual machine.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** @returns a function that ends the loop and answers its longest hold so far, ms */
export async function startIdleLoop(): Promise<() => Promise<number>> {
  const thread = new Worker(new URL('./idle-loop.worker.js', import.meta.url));
  await once(thread, 'online');
  return async () => {
    thread.postMessage('end');
    const [heldMs] = (await once(thread, 'message')) as [number];
    return heldMs;
  };
}
