// The statements of the hot paths run as named prepared statements on TypeORM's own pool: PostgreSQL parses and plans
// them once per connection. TypeORM's query() cannot name a statement.
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';

/** A statement and the name it is prepared under; unique in the app and at most 63 characters. */
export interface Statement {
  name: string;
  text: string;
}

@Injectable()
export class PreparedStatements {
  private readonly pool: pg.Pool;

  constructor(dataSource: DataSource) {
    // The PostgreSQL driver of TypeORM keeps its pg.Pool as `master`; the general Driver type does not say so.
    this.pool = (dataSource.driver as unknown as { master: pg.Pool }).master;
    // The statements here find rows by key, and one plan, through the index, fits every value: planning anew would cost
    // more than running. The settings keep a plan from being made for a table that happens to be empty at the time.
    Object.assign(this.pool.options, {
      onConnect: (client: pg.ClientBase) =>
        client.query(
          'set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
        ),
    });
  }

  async run<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<pg.QueryResult<Row>> {
    return this.pool.query<Row>({ ...statement, values });
  }
}
