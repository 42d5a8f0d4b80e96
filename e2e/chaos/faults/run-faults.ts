// Strikes until no whole strike fits: one fault, or two that overlap. Kinds, details, lengths and pauses follow from
// the seed, so two runs of a seed have the same faults in the same order.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@tradewind/provider-simulator';
import type { FaultWindow } from '../log/log.types.js';
import type { ChaosPlatform } from '../platform/platform.js';
import { allFaults } from './all-faults.js';
import type { Fault, FaultKind } from './fault.types.js';

/** Shorter than the leases of the services (platform/service-settings.ts); a kind may choose another length. */
const faultMs = { min: 800, max: 7_000 };
const pauseMs = { min: 500, max: 3_000 };
/** Past the time that a service has: a slow recovery is measured, not just noticed. */
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

interface DrawnFault {
  name: string;
  fault: Fault;
  /** After the begin of the strike. */
  afterMs: number;
  lengthMs: number;
}

export async function runFaults({ platform, seed, untilMs, signal, struck, report }: FaultRun): Promise<void> {
  const random = new Random(`${seed}/faults`);
  const strikes = new Strikes(platform, random);
  for (let strike = 1; !signal.aborted; strike += 1) {
    await sleep(random.integer(pauseMs.min, pauseMs.max), undefined, { signal }).catch(() => undefined);
    const drawn = strikes.draw();
    const longestMs = Math.max(...drawn.map(({ afterMs, lengthMs }) => afterMs + lengthMs));
    if (signal.aborted || Date.now() + longestMs > untilMs) return;
    const windows = await Promise.all(
      drawn.map(async ({ name, fault, afterMs, lengthMs }) => {
        await sleep(afterMs);
        const window: FaultWindow = {
          ...{ strike, kind: name, detail: fault.detail, parts: fault.parts },
          ...{ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY, readyMs: null },
        };
        struck(window);
        report(`strike ${strike}: ${name}: ${fault.detail}, ${(lengthMs / 1000).toFixed(1)} s`);
        await fault.begin();
        await sleep(lengthMs);
        await fault.end();
        window.toMs = Date.now();
        return window;
      }),
    );
    const readyMs = await readyAgain(platform);
    for (const window of windows) window.readyMs = readyMs;
  }
}

/** Each kind once before any repeats, so that a short run has seen most of them. */
class Strikes {
  private readonly bag = allFaults.flatMap(({ kind, weight }) => Array<FaultKind>(weight).fill(kind));
  private unseen: FaultKind[] = allFaults.map(({ kind }) => kind);

  constructor(
    private readonly platform: ChaosPlatform,
    private readonly random: Random,
  ) {}

  /** One fault, or two that overlap and act on different things. */
  draw(): DrawnFault[] {
    const first = this.drawOne([]);
    if (this.random.oneIn(3)) return [first];
    const second = this.drawOne(first.fault.actsOn);
    return [first, { ...second, afterMs: this.random.integer(0, first.lengthMs) }];
  }

  private drawOne(taken: readonly string[]): DrawnFault {
    // After a collision all kinds are candidates: the only one that is unseen may collide again and again.
    for (let kinds = this.unseen.length > 0 ? this.unseen : this.bag; ; kinds = this.bag) {
      const kind = this.random.pick(kinds);
      const drawnMs = this.random.integer(faultMs.min, faultMs.max);
      const fault = kind.draw(this.platform, this.random);
      if (fault.actsOn.some((thing) => taken.includes(thing))) continue;
      this.unseen = this.unseen.filter((one) => one !== kind);
      return { name: kind.name, fault, afterMs: 0, lengthMs: fault.lengthMs ?? drawnMs };
    }
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
