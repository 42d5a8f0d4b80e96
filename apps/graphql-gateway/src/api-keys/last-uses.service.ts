// When each key was last used, for lists. Uses are collected in memory and noted together. So no request waits for it,
// and a key in constant use costs one small write in ten seconds. A kill loses the last ten seconds; the audit log has
// every use.
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { ApiKeysStore } from './api-keys.store.js';

const intervalMs = 10_000;

@Injectable()
export class LastUses implements BeforeApplicationShutdown {
  private uses = new Map<string, Date>();

  constructor(
    private readonly store: ApiKeysStore,
    background: BackgroundWork,
  ) {
    background.every({ name: 'last uses of keys', intervalMs, run: () => this.flush() });
  }

  record(keyId: string, at: Date): void {
    this.uses.set(keyId, at);
  }

  async flush(): Promise<void> {
    const { uses } = this;
    if (uses.size === 0) return;
    this.uses = new Map();
    try {
      await this.store.noteUses(uses);
    } catch (error) {
      // Those that were used again meanwhile have a later time.
      this.uses = new Map([...uses, ...this.uses]);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }
}
