import { Injectable } from '@nestjs/common';
import type { Readiness } from '@tradewind/shared-types';
import { withinMs } from './within-ms.js';

// A probe that has not answered by then counts as down; Kubernetes itself waits little longer.
const probeTimeoutMs = 2000;

/** What `GET /ready` asks. A dependency registers a probe that throws, or resolves to false, when it does not answer. */
@Injectable()
export class ReadinessRegistry {
  private readonly probes = new Map<string, () => Promise<unknown>>();
  private isStopping = false;

  add(name: string, probe: () => Promise<unknown>): void {
    this.probes.set(name, probe);
  }

  /** From now on the service reports that it is not ready, whatever its dependencies do. */
  stop(): void {
    this.isStopping = true;
  }

  async check(service: string): Promise<Readiness> {
    const states = await Promise.all(
      [...this.probes].map(async ([name, probe]) => [name, (await answers(probe)) ? 'up' : 'down'] as const),
    );
    const isReady = !this.isStopping && states.every(([, state]) => state === 'up');
    return { status: isReady ? 'ready' : 'not_ready', service, dependencies: Object.fromEntries(states) };
  }
}

/** Down is an answer of this page, not an error of the service: whoever needs the dependency logs the reason. */
async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  return withinMs(probeTimeoutMs, probe).then(
    (result) => result !== false,
    () => false,
  );
}
