// Synthetic rows into the tables, batch by batch; a batch is a transaction, so a run that was cut off continues.
import type pg from 'pg';
import { columnsOf, type Entity, type Row } from '../data-tables.js';
import { copyRows } from '../copy-rows.js';
import { inTransaction } from '../database.js';

/** Rows of one COPY: a few seconds of work, which is what a kill loses. */
const rowsPerBatch = 50_000;

/** Copies the rows of the places from `from` up to, not including, `to`. */
export async function loadSynthetic(
  client: pg.Client,
  entity: Entity,
  places: { from: number; to: number },
  rowAt: (place: number) => Row,
  onPlace: (place: number) => void = () => undefined,
): Promise<void> {
  const columns = await columnsOf(client, entity);
  for (let from = places.from; from < places.to; from += rowsPerBatch) {
    const to = Math.min(from + rowsPerBatch, places.to);
    await inTransaction(client, () => copyRows(client, entity, columns, rowsOf(from, to, rowAt, onPlace)));
  }
}

function* rowsOf(
  from: number,
  to: number,
  rowAt: (place: number) => Row,
  onPlace: (place: number) => void,
): Generator<Row> {
  for (let place = from; place < to; place++) {
    yield rowAt(place);
    if (place % 1000 === 999 || place === to - 1) onPlace(place + 1);
  }
}
