// Entries of timelines that no transaction writes: calls to the provider, and webhooks that change nothing. Whoever
// adds one waits until it is written, before the transition that it leads to. So a kill loses nothing that is known.
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundWork, GroupCommit } from '@tradewind/service-kit';
import { TimelineStore, type NewTimelineEntry } from './timeline.store.js';

/** Most entries of one statement. */
const groupSizeMax = 500;
/** Pause between two attempts to write what could not be written. */
const intervalMs = 500;
/** While the database is away, the latest are kept: some 10 MB. */
const unwrittenMax = 20_000;

@Injectable()
export class TimelineNotes implements BeforeApplicationShutdown {
  private readonly group: GroupCommit<NewTimelineEntry, void>;
  private unwritten: NewTimelineEntry[] = [];

  constructor(store: TimelineStore, background: BackgroundWork) {
    this.group = new GroupCommit({
      write: async (entries) => {
        await store.add(entries);
        return entries.map(() => undefined);
      },
      groupSizeMax,
      splitsFaultyGroups: true,
    });
    background.every({ name: 'timeline', intervalMs, run: () => this.writeAgain() });
  }

  /** Resolves once the entry is written. Never rejects: while the database is away, entries are kept in memory. */
  async add(entry: NewTimelineEntry): Promise<void> {
    await this.group.add(entry).catch(() => {
      this.unwritten.push(entry);
      if (this.unwritten.length > unwrittenMax) this.unwritten.shift();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.writeAgain();
  }

  private async writeAgain(): Promise<void> {
    const { unwritten } = this;
    if (unwritten.length === 0) return;
    this.unwritten = [];
    const written = await Promise.allSettled(unwritten.map((entry) => this.group.add(entry)));
    const left = unwritten.filter((_, index) => written[index]!.status === 'rejected');
    this.unwritten = [...left, ...this.unwritten].slice(-unwrittenMax);
    const failure = written.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }
}
