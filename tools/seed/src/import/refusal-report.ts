// The list of refused rows: CSV with the line in the file, the id as written, and every reason.
import { appendFileSync, existsSync } from 'node:fs';

export interface RefusedRow {
  line: number;
  id: string;
  reasons: readonly string[];
}

/** Adds the rows to the report; makes it, with its header, when it is missing. */
export function appendRefusals(path: string, rows: readonly RefusedRow[]): void {
  if (rows.length === 0) return;
  const lines = rows.map(({ line, id, reasons }) => `${line},${quoted(id)},${quoted(reasons.join('; '))}\n`);
  appendFileSync(path, (existsSync(path) ? '' : 'line,id,reasons\n') + lines.join(''));
}

function quoted(cell: string): string {
  return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
