import { Injectable } from '@nestjs/common';
import { Db } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables } from '../tracker/tracker-tables.js';
import type { LeftOver } from './item-rows.js';

/** Items that fit no warehouse table. */
@Injectable()
export class LeftOversStore {
  private readonly table: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).leftOverItems;
  }

  /** Keeps the items; a repeat changes nothing. */
  async keep(runId: string, leftOvers: readonly LeftOver[]): Promise<void> {
    if (leftOvers.length === 0) return;
    const proposals = leftOvers.map((leftOver) => ({ ...leftOver, raw: JSON.stringify(leftOver.raw) ?? 'null' }));
    await this.db.affected(
      `insert into ${this.table} (provider_run_id, position, reason, raw)
       select $1, position, reason, raw::json
       from jsonb_to_recordset($2::jsonb) as t(position text, reason text, raw text)
       on conflict do nothing`,
      [runId, JSON.stringify(proposals)],
    );
  }
}
