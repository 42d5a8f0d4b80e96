import { Injectable } from '@nestjs/common';
import type { Readiness } from '@tradewind/shared-types';
import { Metrics } from './metrics.js';
import { withinMs } from './within-ms.js';

// A probe without an answer by then counts as down. Kubernetes waits only a little longer.
const probeTimeoutMs = 2000;

/** Something that a service needs. */
export interface Dependency {
  /** As `/ready` and the metric `dependency_up` name it. */
  name: string;
  /** Throws, or resolves to false, when the dependency does not answer. */
  probe: () => Promise<unknown>;
  /**
   * Whether the service is useless without it. Only then is `/ready` 503: all pods share their dependencies, so any
   * other rule would take every pod out of service at once.
   */
  isEssential: boolean;
  /** What fails or waits while it is down, for readers of `/ready`. */
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

  /** Callers that ask at the same time share the answer, so many requests cause one probe. */
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

/** That a dependency is down is an answer here, not an error: the code that needs it logs the reason. */
async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  return withinMs(probeTimeoutMs, probe).then(
    (result) => result !== false,
    () => false,
  );
}
