import pg, { type ClientConfig } from 'pg';

export interface WatchedClientConfig extends ClientConfig {
  /** How long a statement may go without an answer, milliseconds; must be more than `statement_timeout`. */
  answerTimeoutMs: number;
}

const lookEveryMs = 1000;

/**
 * A client of pg that gives up on a server that hangs: accepts statements, cancels none and answers none. Once a statement went
 * unanswered for `answerTimeoutMs`, and at most two seconds more, the connection is closed and everything on it fails.
 *
 * pg's own `query_timeout` makes a timer for every statement. Each keeps the rows of its statement alive until the next
 * collection of the whole heap: under load, collections of the young generation took ten times as long.
 */
export class WatchedClient extends pg.Client {
  // The types let a pool make its clients without options; it never does.
  constructor(config: WatchedClientConfig = { answerTimeoutMs: 60_000 }) {
    super(config);
    let watch: NodeJS.Timeout | undefined;
    this.once('connect', () => (watch = this.watch(Math.ceil(config.answerTimeoutMs / lookEveryMs) + 1)));
    this.once('end', () => clearInterval(watch));
  }

  /** Looks are counted, not time: while this process was stopped or busy itself, answers could not arrive. */
  private watch(looksMax: number): NodeJS.Timeout {
    const client = this as unknown as {
      _getActiveQuery(): object | null;
      connection: { stream: { destroy(error: Error): void } };
    };
    let active: object | null = null;
    let looks = 0;
    return setInterval(() => {
      const before = active;
      active = client._getActiveQuery();
      looks = active !== null && active === before ? looks + 1 : 0;
      if (looks >= looksMax) client.connection.stream.destroy(new Error('Query read timeout'));
    }, lookEveryMs).unref();
  }
}
