// How far each file is imported, in a table of the tool's own schema. A file is known by its content, so a copy under
// another name continues as well, and a changed file starts afresh.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type pg from 'pg';
import type { Entity } from '../data-tables.js';
import { FileError } from './read-file.js';

export interface ImportProgress {
  /** Records of the file that are done. */
  records: number;
  inserted: number;
  updated: number;
  refused: number;
  /** Length of the report of refused rows. */
  reportBytes: number;
}

export class ImportProgressStore {
  private constructor(
    private readonly client: pg.Client,
    private readonly entity: Entity,
    private readonly path: string,
    private readonly sha256: string,
  ) {}

  static async open(client: pg.Client, entity: Entity, path: string): Promise<ImportProgressStore> {
    const sha256 = await sha256Of(path);
    await client.query(`
      create schema if not exists data_import;
      create table if not exists data_import.progress (
        target_schema text not null,
        entity text not null,
        sha256 text not null,
        path text not null,
        report_path text not null,
        records bigint not null default 0,
        inserted bigint not null default 0,
        updated bigint not null default 0,
        refused bigint not null default 0,
        report_bytes bigint not null default 0,
        updated_at timestamptz not null default now(),
        primary key (target_schema, entity, sha256)
      )`);
    return new ImportProgressStore(client, entity, path, sha256);
  }

  /** Continues the interrupted import of this file, or begins one. The report stays where the first run began it. */
  async begin(reportPath: string): Promise<ImportProgress> {
    const { rows } = await this.client.query<ImportProgress>(
      `insert into data_import.progress (target_schema, entity, sha256, path, report_path) values (current_schema(), $1, $2, $3, $4)
       on conflict (target_schema, entity, sha256) do update set path = excluded.path,
         -- Another report starts empty; what was refused before is in the old one only.
         report_bytes = case when progress.report_path = excluded.report_path then progress.report_bytes else 0 end,
         report_path = excluded.report_path
       returning records::float8, inserted::float8, updated::float8, refused::float8, report_bytes::float8 as "reportBytes"`,
      [this.entity, this.sha256, this.path, reportPath],
    );
    return rows[0]!;
  }

  /** In the transaction of the batch. */
  async save({ records, inserted, updated, refused, reportBytes }: ImportProgress): Promise<void> {
    await this.client.query(
      `update data_import.progress set records = $3, inserted = $4, updated = $5, refused = $6, report_bytes = $7, updated_at = now()
       where target_schema = current_schema() and entity = $1 and sha256 = $2`,
      [this.entity, this.sha256, records, inserted, updated, refused, reportBytes],
    );
  }

  /** After that, the same file is imported from its first row. */
  async forget(): Promise<void> {
    await this.client.query(
      'delete from data_import.progress where target_schema = current_schema() and entity = $1 and sha256 = $2',
      [this.entity, this.sha256],
    );
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    throw new FileError(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return hash.digest('hex');
}
