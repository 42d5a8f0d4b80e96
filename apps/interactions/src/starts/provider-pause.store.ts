import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables } from '../tracker/tracker-tables.js';

/**
 * The pause of all starts while the provider has no capacity. Its one row is also the lock under which slots are
 * counted. The table keeps its older name, `start_gate`: a new one would gain nothing.
 */
@Injectable()
export class ProviderPauseStore {
  private readonly table: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).startGate;
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

  /** Refusals in a row so far, and whether starts are paused at the moment. */
  async find(): Promise<{ refusals: number; isPaused: boolean }> {
    const [row] = await this.db.rows<{ refusals: number; paused: boolean }>(
      `select refusals, paused_until > clock_timestamp() as paused from ${this.table}`,
    );
    return { refusals: row?.refusals ?? 0, isPaused: row?.paused ?? false };
  }

  /** Pauses all starts. The refusals of one burst count once: those that come during the pause only prolong it. */
  async pause(delayMs: number): Promise<void> {
    await this.db.affected(
      `update ${this.table} set
         refusals = refusals + (case when paused_until <= clock_timestamp() then 1 else 0 end),
         paused_until = greatest(paused_until, clock_timestamp() + $1 * interval '1 ms')`,
      [delayMs],
    );
  }

  /** A start succeeded, however that became known: the next refusal is the first again. */
  async forgetRefusals(): Promise<void> {
    await this.db.affected(`update ${this.table} set refusals = 0 where refusals > 0`);
  }
}
