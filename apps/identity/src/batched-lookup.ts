// Look-ups by key that arrive together become one statement. A look-up goes out at the end of the current turn of the
// event loop; while two statements are under way, later ones gather behind them. A quiet service pays nothing for it, a
// busy one makes a tenth of the round trips.
// Every look-up is answered from a statement that began after the look-up did: what was revoked before is never seen.

interface Waiting<Row> {
  promise: Promise<Row | undefined>;
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
}

const statementsMax = 2;
const keysMax = 200;

export class BatchedLookup<Row> {
  private waiting = new Map<string, Waiting<Row>>();
  private underWay = 0;
  private isScheduled = false;

  /** @param load the rows of these keys by key; a missing key is a missing row */
  constructor(private readonly load: (keys: string[]) => Promise<Map<string, Row>>) {}

  find(key: string): Promise<Row | undefined> {
    const together = this.waiting.get(key);
    if (together) return together.promise;
    let settle: Omit<Waiting<Row>, 'promise'> | undefined;
    const promise = new Promise<Row | undefined>((resolve, reject) => (settle = { resolve, reject }));
    // The executor above has run already.
    this.waiting.set(key, { promise, ...(settle as unknown as Omit<Waiting<Row>, 'promise'>) });
    this.schedule();
    return promise;
  }

  private schedule(): void {
    if (this.isScheduled || this.underWay >= statementsMax || this.waiting.size === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    const batch = [...this.waiting].slice(0, keysMax);
    for (const [key] of batch) this.waiting.delete(key);
    this.underWay += 1;
    this.schedule();
    try {
      const rows = await this.load(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(rows.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    } finally {
      this.underWay -= 1;
      this.schedule();
    }
  }
}
