import { Injectable } from '@nestjs/common';
import type { Readiness } from '@tradewind/shared-types';
import { Metrics } from './metrics.js';
import { withinMs } from './within-ms.js';

// A probe that has not answered by then counts as down; Kubernetes itself waits little longer.
const probeTimeoutMs = 2000;

/** What a service leans on. */
export interface Dependency {
  /** As `/ready` and the metric `dependency_up` name it. */
  name: string;
  /** Throws, or resolves to false, when the dependency does not answer. */
  probe: () => Promise<unknown>;
  /**
   * Whether the service is of no use without it. Only then is it taken out of service: otherwise every pod is, at the same
   * moment, and what works without the dependency is gone as well.
   */
  isEssential: boolean;
  /** What fails or waits while it is down; for whoever reads `/ready`. */
  why: string;
}

interface State extends Dependency {
  isUp: boolean;
}

/** What `GET /ready` asks, and what the metric `dependency_up` reports. */
@Injectable()
export class ReadinessRegistry {
  private readonly dependencies = new Map<string, Dependency>();
  private isStopping = false;
  private asking: Promise<State[]> | undefined;

  constructor(private readonly metrics: Metrics) {
    metrics.beforeScrape(async () => {
      await this.states();
    });
  }

  add(dependency: Dependency): void {
    this.dependencies.set(dependency.name, dependency);
  }

  /** From now on the service reports that it is not ready, whatever its dependencies do. */
  stop(): void {
    this.isStopping = true;
  }

  async check(service: string): Promise<Readiness> {
    const states = await this.states();
    const isReady = !this.isStopping && states.every(({ isUp, isEssential }) => isUp || !isEssential);
    const degraded = states.filter(({ isUp, isEssential }) => !isUp && !isEssential);
    return {
      status: isReady ? 'ready' : 'not_ready',
      service,
      dependencies: Object.fromEntries(states.map(({ name, isUp }) => [name, isUp ? 'up' : 'down'])),
      ...(degraded.length === 0 ? {} : { degraded: Object.fromEntries(degraded.map(({ name, why }) => [name, why])) }),
    };
  }

  /** Whoever asks meanwhile shares the answer: a crowd of requests is no crowd of probes. */
  private states(): Promise<State[]> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<State[]> {
    return Promise.all(
      [...this.dependencies.values()].map(async (dependency) => {
        const isUp = await answers(dependency.probe);
        const labels = { name: dependency.name, essential: String(dependency.isEssential) };
        this.metrics.dependencyUp.set(labels, isUp ? 1 : 0);
        return { ...dependency, isUp };
      }),
    );
  }
}

/** Down is an answer of this page, not an error of the service: whoever needs the dependency logs the reason. */
async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  return withinMs(probeTimeoutMs, probe).then(
    (result) => result !== false,
    () => false,
  );
}
