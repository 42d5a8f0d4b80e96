import { Socket } from 'node:net';
import pg, { type ClientConfig } from 'pg';

export interface WatchedClientConfig extends ClientConfig {
  /** How long a statement may go without an answer, milliseconds. Must be more than `statement_timeout`. */
  answerTimeoutMs: number;
}

const lookEveryMs = 1000;

/**
 * A client of pg that gives up on a server that hangs: one that accepts statements, cancels none and answers none. When
 * a statement goes unanswered for `answerTimeoutMs`, the client closes the connection at most two seconds later, and
 * everything on it fails. Why not `query_timeout` of pg: docs/decisions/0070-no-timer-for-a-statement.md.
 */
export class WatchedClient extends pg.Client {
  private isWaiting = false;

  // The types let a pool make its clients without options, which it never does.
  constructor(config: WatchedClientConfig = { answerTimeoutMs: 60_000 }) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    const looksMax = Math.ceil(config.answerTimeoutMs / lookEveryMs) + 1;
    // Without a listener an error ends the process, and a connection that was just opened has none yet. PostgreSQL may
    // end it in the same packet that says it is ready. Whoever uses the connection then gets the error.
    this.on('error', () => undefined);
    let watch: NodeJS.Timeout | undefined;
    this.once('connect', () => (watch = this.watch(socket, looksMax)));
    this.once('end', () => clearInterval(watch));
    // Everything that was asked is answered.
    this.on('drain', () => (this.isWaiting = false));
  }

  /** One signature for all overloads of pg. */
  override query(...statement: never[]): never {
    this.isWaiting = true;
    return (super.query as (...statement: never[]) => never).apply(this, statement);
  }

  /** Counts looks, not time: a process that was stopped or busy has not seen its answers yet. */
  private watch(socket: Socket, looksMax: number): NodeJS.Timeout {
    let looks = 0;
    let bytesBefore = socket.bytesRead;
    return setInterval(() => {
      looks = this.isWaiting && socket.bytesRead === bytesBefore ? looks + 1 : 0;
      bytesBefore = socket.bytesRead;
      if (looks >= looksMax) socket.destroy(new Error('Query read timeout'));
    }, lookEveryMs).unref();
  }
}
