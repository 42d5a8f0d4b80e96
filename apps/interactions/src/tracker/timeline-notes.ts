// Entries of timelines that are collected in memory and written together, so nobody waits for them. A kill loses those
// of the last half second; the transitions that they led to are there.
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { TimelineStore, type NewTimelineEntry } from './timeline.store.js';

const intervalMs = 500;
/** While the database is away, the latest are kept: some 10 MB. */
const waitingMax = 20_000;

@Injectable()
export class TimelineNotes implements BeforeApplicationShutdown {
  private waiting: NewTimelineEntry[] = [];

  constructor(
    private readonly store: TimelineStore,
    background: BackgroundWork,
  ) {
    background.every({ name: 'timeline', intervalMs, run: () => this.flush() });
  }

  add(entry: NewTimelineEntry): void {
    this.waiting.push(entry);
    if (this.waiting.length > waitingMax) this.waiting.shift();
  }

  async flush(): Promise<void> {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    try {
      await this.store.add(waiting);
    } catch (error) {
      this.waiting = [...waiting, ...this.waiting].slice(-waitingMax);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }
}
