// One file into one table: COPY into a staging table, checks, merge; a batch is a transaction. An import that was cut
// off is run again: rows that are already as the file says are not written.
import { rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { integerOf } from '@tradewind/filters';
import pg from 'pg';
import { copyRows } from '../copy-rows.js';
import { inTransaction, vacuumAnalyze } from '../database.js';
import type { Entity } from '../data-tables.js';
import { fillLookUps, LookUps } from '../look-ups.js';
import { startProgress } from '../progress.js';
import { convertRow, type ConvertedRow, unknownFields } from './convert-row.js';
import { importFields } from './import-fields.js';
import { type FileRecord, FileError, formatOf, readRecords } from './read-file.js';
import { appendRefusals, type RefusedRow } from './refusal-report.js';
import { restoreIndexes, suspendIndexes } from '../suspended-indexes.js';
import { Staging } from './staging.js';

export interface ImportOptions {
  entity: Entity;
  path: string;
  /** Where refused rows are listed; beside the file unless said otherwise. */
  reportPath?: string | undefined;
  isQuiet?: boolean;
}

export interface ImportResult {
  /** Records of the file, refused ones included. */
  records: number;
  inserted: number;
  updated: number;
  /** Rows that were there already, exactly so. */
  unchanged: number;
  refused: number;
  /** The report, when rows were refused. */
  reportPath: string | undefined;
}

/** Rows of a transaction: large enough to amortise it, small enough to keep in memory. */
const rowsPerBatch = 10_000;

/** Imports the file. @throws FileError when the file as a whole cannot be read; what was committed before stays. */
export async function importFile(client: pg.Client, options: ImportOptions): Promise<ImportResult> {
  const { entity, path, reportPath = `${path}.refused.csv` } = options;
  const format = formatOf(path);
  const sizeBytes = sizeOf(path);
  if (resolve(reportPath) === resolve(path)) throw new FileError(`${path}: the report needs another file`);
  rmSync(reportPath, { force: true });
  await restoreIndexes(client);
  if (await isFirstBulk(client, entity, sizeBytes)) await suspendIndexes(client, entity);
  await fillLookUps(client);
  const run = new ImportRun(
    client,
    entity,
    await LookUps.read(client),
    reportPath,
    await Staging.create(client, entity),
  );
  const bar = options.isQuiet ? undefined : startProgress(`${entity} (KB)`, Math.ceil(sizeBytes / 1024));
  try {
    await run.readAll(readRecords(path, format), format === 'csv', (bytes) => bar?.update(bytes / 1024));
    await restoreIndexes(client);
  } catch (error) {
    // When the connection is gone this fails too; then the next run builds the indexes.
    await restoreIndexes(client).catch(() => undefined);
    throw error;
  } finally {
    bar?.stop();
  }
  await vacuumAnalyze(client, [entity]);
  const { records, inserted, updated, refused } = run;
  const unchanged = records - inserted - updated - refused;
  return { records, inserted, updated, unchanged, refused, reportPath: refused > 0 ? reportPath : undefined };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw new FileError(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Below this, keeping the indexes up costs little. */
const bulkBytesMin = 5 * 1024 * 1024;

/** Whether a large file comes into an empty table: then nobody misses the indexes until they are built at the end. */
async function isFirstBulk(client: pg.Client, entity: Entity, sizeBytes: number): Promise<boolean> {
  if (sizeBytes < bulkBytesMin) return false;
  const { rowCount } = await client.query(`select from ${entity} limit 1`);
  return rowCount === 0;
}

interface StagedRow {
  line: number;
  /** As it is written in the file. */
  id: string;
  row: ConvertedRow;
}

class ImportRun {
  records = 0;
  inserted = 0;
  updated = 0;
  refused = 0;

  constructor(
    private readonly client: pg.Client,
    private readonly entity: Entity,
    private readonly lookUps: LookUps,
    private readonly reportPath: string,
    private readonly staging: Staging,
  ) {}

  async readAll(
    records: AsyncGenerator<FileRecord>,
    hasHeader: boolean,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    if (hasHeader) await this.checkHeader(records);
    let batch: FileRecord[] = [];
    let ids = new Set<unknown>();
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      await this.importBatch(batch);
      onBytes(batch.at(-1)!.bytes);
      batch = [];
      ids = new Set();
    };
    for await (const record of records) {
      // A row that comes again updates the first, as it would in a file of its own: it begins a new batch.
      const written = idOf(record);
      const id = integerOf(written) ?? written;
      if (batch.length >= rowsPerBatch || (id !== undefined && ids.has(id))) await flush();
      if (id !== undefined) ids.add(id);
      batch.push(record);
    }
    await flush();
  }

  private async checkHeader(records: AsyncGenerator<FileRecord>): Promise<void> {
    const first = await records.next();
    if (first.done) throw new FileError('the file is empty: it needs a header line');
    const { content } = first.value;
    const names = 'fields' in content ? Object.keys(content.fields) : [];
    const unknown = unknownFields(this.entity, names);
    if (unknown.length > 0) {
      const known = importFields[this.entity].map((field) => field.name).join(', ');
      throw new FileError(`the header names unknown fields: ${unknown.join(', ')}. Known are ${known}.`);
    }
    if (!names.includes('id')) throw new FileError('the header has no field "id"');
  }

  private async importBatch(records: readonly FileRecord[]): Promise<void> {
    const refused: RefusedRow[] = [];
    await inTransaction(this.client, async () => {
      const rows: StagedRow[] = [];
      for (const record of records) {
        const { line, content } = record;
        const id = idOf(record) ?? '';
        if ('problem' in content) {
          refused.push({ line, id, reasons: [`the line ${content.problem}`] });
          continue;
        }
        const conversion = await convertRow(this.entity, content.fields, this.lookUps);
        if ('row' in conversion) rows.push({ line, id, row: conversion.row });
        else refused.push({ line, id, reasons: conversion.reasons });
      }
      refused.push(...(await this.mergeRows(rows)));
    });
    refused.sort((a, b) => a.line - b.line);
    appendRefusals(this.reportPath, refused);
    this.records += records.length;
    this.refused += refused.length;
  }

  /** Merges the rows. When the database refuses the whole because of one row, halves find which one. */
  private async mergeRows(rows: readonly StagedRow[]): Promise<RefusedRow[]> {
    if (rows.length === 0) return [];
    await this.client.query('savepoint merge_rows');
    try {
      const refused = await this.mergeTogether(rows);
      await this.client.query('release savepoint merge_rows');
      return refused;
    } catch (error) {
      if (!isDataError(error)) throw error;
      await this.client.query('rollback to savepoint merge_rows');
      if (rows.length === 1) {
        const [{ line, id }] = rows as [StagedRow];
        return [{ line, id, reasons: [`the database refuses the row: ${error.message}`] }];
      }
      const middle = Math.ceil(rows.length / 2);
      return [...(await this.mergeRows(rows.slice(0, middle))), ...(await this.mergeRows(rows.slice(middle)))];
    }
  }

  private async mergeTogether(rows: readonly StagedRow[]): Promise<RefusedRow[]> {
    await this.staging.clear();
    await copyRows(this.client, this.staging.table, this.staging.columns, this.staging.rowsOf(rows));
    const refused = await this.staging.refuseBrokenReferences();
    const { inserted, updated } = await this.staging.merge();
    this.inserted += inserted;
    this.updated += updated;
    return refused;
  }
}

/** The id as it is written; undefined when there is none. */
function idOf({ content }: FileRecord): string | undefined {
  const id = 'fields' in content ? content.fields['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id).trim() : undefined;
}

/** Classes 22 (data), 23 (constraints) and 54 (limits) of SQLSTATE blame a row, not the connection or the server. */
function isDataError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}
