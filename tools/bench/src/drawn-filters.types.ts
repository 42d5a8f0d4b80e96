/** A row of a data table, by column: numbers as text, as the driver gives them; of a text vector its words. */
export type Row = Readonly<Record<string, unknown>>;

export interface SortColumn {
  column: string;
  direction: 'asc' | 'desc';
}
