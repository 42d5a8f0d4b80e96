// One run at a time over all processes. The lock is a session lock of PostgreSQL and ends with its connection. So a
// killed process leaves nothing behind, and its run can be resumed at once. If the connection is lost while the process
// lives, the column run.holder keeps it from changing anything: the next holder writes its own id there.
// NOTE: a pooler in transaction mode between this app and PostgreSQL would break session locks.
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Db } from '@tradewind/service-kit';

export interface HeldRunLock {
  /** Written to run.holder. */
  holder: string;
  release(): Promise<void>;
}

const lockKey = `hashtextextended('coordinator monthly run', 0)`;

@Injectable()
export class RunLock {
  constructor(private readonly db: Db) {}

  /** Undefined when another process, or another run of this one, holds it. */
  async tryTake(): Promise<HeldRunLock | undefined> {
    // Each holder has a session of its own, so that a second one in this process fails as well.
    const session = await this.db.connect();
    try {
      const [row] = await session.rows<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
      if (!row?.taken) {
        await session.release();
        return undefined;
      }
    } catch (error) {
      // A statement that was cancelled may have taken the lock.
      await session.end();
      throw error;
    }
    return {
      holder: randomUUID(),
      async release() {
        try {
          await session.rows(`select pg_advisory_unlock(${lockKey})`);
          await session.release();
        } catch {
          // The lock ends with its connection.
          await session.end();
        }
      },
    };
  }
}
