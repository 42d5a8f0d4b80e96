import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { withinMs } from './within-ms.js';

export interface EventDefinition {
  help: string;
  /** Fields of the event that are also labels of its counter. They need few, bounded values: never an id. */
  labels?: readonly string[];
  /** A numeric field by which the counter rises; by default it rises by one. */
  countedBy?: string;
  /** A numeric field that also feeds a histogram; what is negative, since a clock went back, counts as 0. */
  histogram?: { field: string; buckets: number[] };
  /** Level of the log line; info by default. */
  level?: 'debug' | 'info' | 'warn' | 'error';
}

// A scrape may take 10 s in all.
const gaugeTimeoutMs = 2000;

export interface GaugeOptions {
  /** A source that is costly is read this often at most. Until the next value is there, scrapes show the last one. */
  everyMs?: number;
}

type Fields<D extends EventDefinition> = Record<string, unknown> &
  (D extends { labels: readonly (infer L extends string)[] } ? Record<L, string | number | boolean> : object) &
  (D extends { countedBy: infer F extends string } ? Record<F, number> : object) &
  (D extends { histogram: { field: infer F extends string } } ? Record<F, number> : object);

export interface EventsClass<D extends Record<string, EventDefinition>> {
  new (
    logger: Logger,
    metrics: Metrics,
  ): {
    /** One call feeds the log and the counter `tradewind_<service>_<event>_total`. */
    emit<N extends keyof D & string>(name: N, fields: Fields<D[N]>): void;
    /** A value that each scrape reads, `tradewind_<service>_<name>`; NaN while its source fails or is slow. */
    gauge(name: string, help: string, read: () => Promise<number> | number, options?: GaugeOptions): void;
  };
}

/**
 * The base class of an app's AppEvents, which names its business events once.
 *
 * @example
 * export class AppEvents extends eventsClass('interactions', {
 *   run_started: { help: 'Runs started at the provider', labels: ['entity'] },
 * }) {}
 */
export function eventsClass<const D extends Record<string, EventDefinition>>(
  service: string,
  definitions: D,
): EventsClass<D> {
  const prefix = `tradewind_${service.replace(/-/g, '_')}`;

  @Injectable()
  class Events {
    private readonly counters = new Map<string, Counter>();
    private readonly histograms = new Map<string, Histogram>();

    constructor(
      private readonly logger: Logger,
      private readonly metrics: Metrics,
    ) {
      const registers = [metrics.registry];
      for (const [name, { help, labels, histogram }] of Object.entries<EventDefinition>(definitions)) {
        const labelNames = [...(labels ?? [])];
        this.counters.set(name, new Counter({ name: `${prefix}_${name}_total`, help, labelNames, registers }));
        if (histogram) {
          const { field, buckets } = histogram;
          const histogramName = `${prefix}_${name}_${field}`;
          this.histograms.set(name, new Histogram({ name: histogramName, help, labelNames, buckets, registers }));
        }
      }
    }

    emit(name: string, fields: Record<string, unknown>): void {
      const definition: EventDefinition = definitions[name]!;
      const labels: Record<string, string> = {};
      for (const label of definition.labels ?? []) labels[label] = String(fields[label]);
      this.counters
        .get(name)
        ?.inc(labels, definition.countedBy === undefined ? 1 : Number(fields[definition.countedBy]));
      if (definition.histogram)
        this.histograms.get(name)?.observe(labels, Math.max(0, Number(fields[definition.histogram.field])));
      this.logger[definition.level ?? 'info']({ event: name, ...fields }, name);
    }

    gauge(name: string, help: string, read: () => Promise<number> | number, { everyMs }: GaugeOptions = {}): void {
      let reading: Promise<number> | undefined;
      let last = { value: Number.NaN, atMs: -Infinity };
      // A source that is slower than scrapes come is read once at a time.
      const readOnce = () =>
        (reading ??= (async () => read())()
          .catch(() => Number.NaN)
          .then((value) => {
            reading = undefined;
            // After a failure the next scrape reads again.
            last = { value, atMs: Number.isNaN(value) ? -Infinity : performance.now() };
            return value;
          }));
      new Gauge({
        name: `${prefix}_${name}`,
        help,
        registers: [this.metrics.registry],
        async collect() {
          const isKept = everyMs !== undefined && performance.now() - last.atMs < everyMs;
          // One source that does not answer must not cost the other metrics.
          const value = isKept ? last.value : await withinMs(gaugeTimeoutMs, readOnce).catch(() => undefined);
          this.set(value ?? (everyMs === undefined ? Number.NaN : last.value));
        },
      });
    }
  }
  // EventsClass types `emit` with the names and labels of the definitions.
  return Events;
}
