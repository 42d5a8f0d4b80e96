// Reads the metrics of one service. A reading resets the maximum of the event loop's delay, so there is one reader.
import type { ServiceName } from './service-names.js';
import type { Target } from './target.types.js';

export interface Reading {
  /** Longest time since the last reading for which the event loop was held, milliseconds. */
  eventLoopDelayMs: number;
  /** Processor time that the process has used since its start, milliseconds. */
  processorMs: number;
  heapBytes: number;
  memoryBytes: number;
  /** File descriptors, sockets among them. */
  openHandles: number;
  /** Seconds since 1970; another one means another process. */
  startedAt: number;
}

/** A collection of garbage takes 0.1 s. */
const requestsBetweenCollections = 250;

/** What a service kept in memory at one moment of a run. */
export interface KeptHeap {
  /** The class of the last request. */
  after: string;
  /** Requests since the last such moment. */
  requests: number;
  heapBytes: number;
}

export class Meter {
  readonly readings: Reading[] = [];
  readonly keptHeaps: KeptHeap[] = [];
  private requests = 0;
  private lastClass = 'the start';

  private constructor(
    readonly service: ServiceName,
    private readonly url: string,
    private readonly processId: number | undefined,
  ) {}

  /** One for each service whose metrics are known. */
  static all({ metricsUrls, processIds = {} }: Target): Map<ServiceName, Meter> {
    const known = Object.entries(metricsUrls) as [ServiceName, string][];
    return new Map(known.map(([service, url]) => [service, new Meter(service, url, processIds[service])]));
  }

  /** Counts a request, and notes the heap after every so many. */
  async countRequest(hostileClass: string): Promise<void> {
    this.requests += 1;
    this.lastClass = hostileClass;
    if (this.requests >= requestsBetweenCollections) await this.noteKeptHeap();
  }

  /** Notes the heap that is left when the garbage is collected. Does nothing where the process is unknown or gone. */
  async noteKeptHeap(): Promise<void> {
    if (this.processId === undefined) return;
    try {
      process.kill(this.processId, 'SIGUSR2');
      // The signal is handled before the second reading, at the latest.
      await this.read();
      const { heapBytes } = await this.read();
      this.keptHeaps.push({ after: this.lastClass, requests: this.requests, heapBytes });
    } catch {
      // Another rule reports a service that is gone.
    }
    this.requests = 0;
  }

  async read(): Promise<Reading> {
    const text = await (await fetch(`${this.url}/metrics`, { signal: AbortSignal.timeout(15_000) })).text();
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
    const reading = {
      eventLoopDelayMs: value('nodejs_eventloop_lag_max_seconds') * 1000,
      processorMs: value('process_cpu_seconds_total') * 1000,
      heapBytes: value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes'),
      memoryBytes: value('process_resident_memory_bytes'),
      openHandles: value('process_open_fds'),
      startedAt: value('process_start_time_seconds'),
    };
    this.readings.push(reading);
    return reading;
  }
}
