// Measured as services measure theirs, every ten milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
parentPort!.once('message', () => parentPort!.postMessage(delay.max / 1e6));
