import { Injectable } from '@nestjs/common';
import { Statements } from '../statements.js';
import { writeStatement } from './unit-of-work.sql.js';
import type { UnitOfWork } from './unit-of-work.js';

@Injectable()
export class UnitOfWorkStore {
  constructor(private readonly statements: Statements) {}

  /**
   * Stores everything that the unit collected in one statement, then runs its `afterwards`. False when a row that
   * the unit requires was gone: then nothing is stored.
   */
  async commit(unit: UnitOfWork): Promise<boolean> {
    if (!unit.isEmpty) {
      const { statement, values } = writeStatement(unit);
      const [row] = await this.statements.rows<{ complete: boolean }>(statement, values);
      if (row?.complete !== true) return false;
    }
    for (const act of unit.afterwards) act();
    return true;
  }
}
