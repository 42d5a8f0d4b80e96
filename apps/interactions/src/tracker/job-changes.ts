import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

/**
 * Tells waiting answers of this process that some job has moved on. Only a hint that shortens waits: jobs moved by
 * another replica are seen by looking again, so nothing depends on it.
 */
@Injectable()
export class JobChanges {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  announce(): void {
    this.emitter.emit('change');
  }

  /** Resolves at the next announcement or after the time given. */
  next(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.emitter.off('change', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, timeoutMs));
      this.emitter.once('change', end);
    });
  }
}
