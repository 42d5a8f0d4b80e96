import { moneyFields } from './import-fields.js';

/**
 * CSV has Money in columns `revenue.value`, `revenue.currency` and so on: gathers them into objects, as NDJSON has
 * them.
 */
export function gatherMoney(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const gathered: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const dot = name.indexOf('.');
    if (dot === -1) {
      gathered[name] = value;
      continue;
    }
    const base = name.slice(0, dot);
    const money = (gathered[base] ??= {}) as Record<string, unknown>;
    money[name.slice(dot + 1)] = value === '' ? null : value;
  }
  // A Money whose every column is empty is an empty cell.
  for (const [name, value] of Object.entries(gathered)) {
    const isMoney =
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).every((key) => (moneyFields as readonly string[]).includes(key));
    if (isMoney && Object.values(value).every((part) => part === null)) gathered[name] = null;
  }
  return gathered;
}
