// One run at a time over all processes. A session lock of PostgreSQL is held for as long as the process lives: it ends
// with its connection, so a killed process leaves nothing behind and its run can be resumed at once. Should the
// connection be lost while the process lives, the column run.holder fences it off: whoever takes over writes his own
// name there, and the other's next statement changes nothing.
// NOTE: a pooler in transaction mode between this app and PostgreSQL would break session locks.
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface HeldRunLock {
  /** Name of this holding, for run.holder. */
  holder: string;
  release(): Promise<void>;
}

const lockKey = `hashtextextended('coordinator monthly run', 0)`;

@Injectable()
export class RunLock {
  constructor(private readonly db: DataSource) {}

  /** Undefined when another process, or another run of this one, holds it. */
  async tryTake(): Promise<HeldRunLock | undefined> {
    const session = this.db.createQueryRunner();
    await session.connect();
    try {
      // Locks are counted per session, and each holding has a session of its own: a second one in this process fails too.
      const [row] = (await session.query(`select pg_try_advisory_lock(${lockKey}) as taken`)) as { taken: boolean }[];
      if (!row?.taken) {
        await session.release();
        return undefined;
      }
    } catch (error) {
      await session.release();
      throw error;
    }
    return {
      holder: randomUUID(),
      async release() {
        try {
          await session.query(`select pg_advisory_unlock(${lockKey})`);
        } catch {
          // The connection is gone, and the lock with it.
        } finally {
          await session.release();
        }
      },
    };
  }
}
