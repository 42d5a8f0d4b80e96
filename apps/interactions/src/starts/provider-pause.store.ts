import { Injectable } from '@nestjs/common';
import type { ProviderPause } from '@tradewind/scraping-provider';
import { Db, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables } from '../tracker/tracker-tables.js';

/**
 * The pause of all starts while the provider is full or down. Its one row is also the lock under which slots are
 * counted. Table and column keep older names, `start_gate` and `refusals`. To rename what two releases use side by
 * side takes a table that both write for a release, which costs more than it clears up.
 */
@Injectable()
export class ProviderPauseStore {
  private readonly table: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).providerPause;
  }

  /** Runs `claim` in a transaction that no other claim of starts shares; undefined during a pause. */
  async claimUnlessPaused<T>(claim: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    return this.db.transaction(async (tx) => {
      const [pause] = await tx.rows<{ is_over: boolean }>(
        `select paused_until <= clock_timestamp() as is_over from ${this.table} for update`,
      );
      return pause?.is_over ? claim(tx) : undefined;
    });
  }

  /**
   * A start failed. Those that fail during a pause belong to the burst that began it: they do not count, and only
   * prolong it.
   * @param decide the pause, from the number of failures in a row before this one
   */
  async noteFailure(decide: (failuresInARow: number) => ProviderPause | undefined): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [row] = await tx.rows<{ refusals: number; is_paused: boolean }>(
        `select refusals, paused_until > clock_timestamp() as is_paused from ${this.table} for update`,
      );
      const pause = decide(row!.is_paused ? 0 : row!.refusals);
      if (!pause) return;
      await tx.affected(
        `update ${this.table} set refusals = refusals + $1,
           paused_until = greatest(paused_until, clock_timestamp() + $2 * interval '1 ms')`,
        [row!.is_paused ? 0 : 1, pause.pauseMs],
      );
    });
  }

  /** A start succeeded, however that became known: the next failure is the first again. */
  async noteStart(): Promise<void> {
    await this.db.affected(`update ${this.table} set refusals = 0 where refusals > 0`);
  }
}
