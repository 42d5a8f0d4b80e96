// What operator commands print for a person at a terminal.
import { styleText } from 'node:util';

/**
 * A table with a line of headings, which are bold on a terminal. Cells are shown as `printable` gives them.
 * @param empty what to say instead when there are no rows: `Nothing here: there are no users.`
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | null | undefined)[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => row.map((cell) => printable(cell || '-')));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [styleText('bold', line(headings)), ...cells.map(line)].join('\n');
}

/**
 * Escapes control characters, invisible characters, and those that change the direction of text: what others wrote must
 * not move the cursor or hide text.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16).padStart(4, '0')}}`,
  );
}

/** The day and time in UTC, to the second: `2026-11-22 10:15:00`. */
export function utcText(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}
