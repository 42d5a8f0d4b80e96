// A statement whose rows are wanted as PostgreSQL writes them. pg asks for the description of a result with every execution
// and makes an object of every row; whoever knows the columns by himself needs neither, and a page of 50 records costs half.
import pg from 'pg';

/** A value as PostgreSQL writes it. */
export type Cell = string | null;

export interface CellsStatement {
  text: string;
  values: readonly unknown[];
  /** The connection keeps a statement that has a name. */
  name?: string;
}

/** What pg gives a query to send its messages with. */
interface Connection {
  submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** The rows of a statement: their cells in the order of the columns. */
export async function queryCells(on: pg.Pool | pg.Client, statement: CellsStatement): Promise<Cell[][]> {
  return new Promise((resolve, reject) => {
    const query = new CellsQuery(statement);
    const callback = (error: Error | null) => (error ? reject(error) : resolve(query.cells));
    // The types know neither that a pool takes a query nor that its callback may be given besides.
    (on.query as unknown as (query: CellsQuery, callback: (error: Error | null) => void) => void).call(
      on,
      query,
      callback,
    );
  });
}

/** Of pg's own kind, as its pipeline mode demands; these methods are what pg calls. */
class CellsQuery extends pg.Query {
  readonly cells: Cell[][] = [];
  declare private readonly text: string;
  declare private readonly values: readonly unknown[];
  declare private readonly hasBeenParsed: (connection: Connection) => boolean;
  /** pg keeps a statement that has a name, and sends it in parts even without values when it is `extended`. */
  readonly name: string | undefined;
  readonly queryMode = 'extended';

  constructor({ text, values, name }: CellsStatement) {
    // One object of all would be copied.
    super(text, values);
    this.name = name;
  }

  prepare(connection: Connection): void {
    const { text, values, name = '' } = this;
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name, text });
      if (name !== '') connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values, valueMapper: prepareValue });
    connection.execute();
    connection.sync();
  }

  handleDataRow({ fields }: { fields: Cell[] }): void {
    this.cells.push(fields);
  }

  handleCommandComplete(): void {
    // How many rows there were is known already.
  }
}
