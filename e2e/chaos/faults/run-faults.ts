// Strikes one fault after the other until the time is over. Kinds, details, lengths and pauses follow from the seed, so
// two runs of a seed have the same faults in the same order.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@tradewind/provider-simulator';
import type { FaultWindow } from '../log/log.types.js';
import type { ChaosPlatform } from '../platform/platform.js';
import { allFaults } from './all-faults.js';

/** Shorter than the leases of the services (platform/service-settings.ts); a kind may choose another length. */
const faultMs = { min: 800, max: 7_000 };
/** Also for the services to recover, so that each failure has one cause. */
const pauseMs = { min: 1_500, max: 5_000 };
/** Past the 15 s that a service has: a slow recovery is measured, not just noticed. */
const readyTimeoutMs = 45_000;
const pollMs = 100;

export interface FaultRun {
  platform: ChaosPlatform;
  seed: string;
  untilMs: number;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  struck: (window: FaultWindow) => void;
  report: (line: string) => void;
}

export async function runFaults({ platform, seed, untilMs, signal, struck, report }: FaultRun): Promise<void> {
  const random = new Random(`${seed}/faults`);
  const bag = allFaults.flatMap(({ kind, weight }) => Array<typeof kind>(weight).fill(kind));
  let unseen = [...allFaults.map(({ kind }) => kind)];
  while (!signal.aborted) {
    await sleep(random.integer(pauseMs.min, pauseMs.max), undefined, { signal }).catch(() => undefined);
    const drawnMs = random.integer(faultMs.min, faultMs.max);
    // Each kind once before any repeats, so that a short run has seen most of them.
    const kind = random.pick(unseen.length > 0 ? unseen : bag);
    unseen = unseen.filter((one) => one !== kind);
    const fault = kind.draw(platform, random);
    const { lengthMs = drawnMs } = fault;
    if (signal.aborted || Date.now() + lengthMs > untilMs) return;
    const window: FaultWindow = {
      ...{ kind: kind.name, detail: fault.detail, parts: fault.parts },
      ...{ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY, readyMs: null },
    };
    struck(window);
    report(`${kind.name}: ${fault.detail}, ${(lengthMs / 1000).toFixed(1)} s`);
    await fault.begin();
    await sleep(lengthMs);
    await fault.end();
    window.toMs = Date.now();
    window.readyMs = await readyAgain(platform);
  }
}

async function readyAgain(platform: ChaosPlatform): Promise<number | null> {
  const deadline = Date.now() + readyTimeoutMs;
  // The balancer's probes need a moment to notice.
  for (let isFirst = true; Date.now() < deadline; isFirst = false) {
    await sleep(isFirst ? 300 : pollMs);
    if (platform.areAllReady) return Date.now();
  }
  return null;
}
