// A statement whose rows are wanted as PostgreSQL writes them. pg asks for the description of a result with every execution
// and makes an object of every row; whoever knows the columns by himself needs neither, and a page of 50 records costs half.
import pg from 'pg';

/** A value as PostgreSQL writes it. */
export type Cell = string | null;

/** What pg gives a query of one's own to send its messages with (pg-cursor and pg-query-stream stand on the same). */
interface Connection {
  stream: { cork(): void; uncork(): void };
  /** Texts of the statements that this connection knows, by name. */
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** The rows of a statement: their cells in the order of the columns. It is kept on the connection when it has a name. */
export async function queryCells(
  pool: pg.Pool,
  statement: { text: string; values: readonly unknown[]; name?: string },
): Promise<Cell[][]> {
  // The types know a query of one's own for clients only, and what it answers for none.
  return await (pool.query as unknown as (query: CellsQuery) => Promise<Cell[][]>).call(
    pool,
    new CellsQuery(statement),
  );
}

class CellsQuery implements pg.Submittable {
  private readonly rows: Cell[][] = [];
  private isOver = false;
  /** Set by pg. */
  declare callback: (error: unknown, rows?: Cell[][]) => void;
  readonly text: string;
  /** Empty for a statement that is not kept. */
  readonly name: string;
  private readonly values: readonly unknown[];

  constructor(statement: { text: string; values: readonly unknown[]; name?: string }) {
    this.text = statement.text;
    this.name = statement.name ?? '';
    this.values = statement.values;
  }

  submit(given: pg.Connection): void {
    const connection = given as unknown as Connection;
    const { name, text, values } = this;
    connection.stream.cork();
    try {
      if (name === '' || connection.parsedStatements[name] === undefined) connection.parse({ name, text });
      connection.bind({ statement: name, values, valueMapper: prepareValue });
      connection.execute();
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: Cell[] }): void {
    this.rows.push(fields);
  }

  handleReadyForQuery(): void {
    this.end(null, this.rows);
  }

  handleError(error: unknown): void {
    this.end(error);
  }

  /** After an error the server is ready again, too. */
  private end(error: unknown, rows?: Cell[][]): void {
    if (this.isOver) return;
    this.isOver = true;
    this.callback(error, rows);
  }

  // Nothing that is waited for: the message before readiness, and answers to what is never sent.
  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}
