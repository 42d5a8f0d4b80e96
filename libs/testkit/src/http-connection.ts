// HTTP over a plain socket, for load: a client library uses more processor time than some of the services under test.
import { connect, type Socket } from 'node:net';

export interface HttpReply {
  status: number;
  /** Status line and headers as they came. */
  head: string;
  body: string;
}

/** One keep-alive connection, one request at a time; answers need a content-length, as Fastify's have. */
export class HttpConnection {
  private received = '';
  private waiting: { resolve: (reply: HttpReply) => void; reject: (error: Error) => void } | undefined;
  private isBroken = false;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the server closed the connection')));
  }

  static open({ port, hostname }: URL): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.removeListener('error', reject);
        resolve(new HttpConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** Whether it can take another request. */
  get isOpen(): boolean {
    return !this.isBroken;
  }

  /** @param request head and body as they go over the wire */
  send(request: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      if (this.isBroken) throw new Error('the connection is closed');
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.fail(new Error('the connection was closed here'));
    this.socket.destroy();
  }

  private take(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.received.slice(0, headEnd);
    const end = headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.received.length < end) return;
    const reply = { status: Number(head.slice(9, 12)), head, body: this.received.slice(headEnd + 4, end) };
    this.received = '';
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(reply);
  }

  private fail(error: Error): void {
    this.isBroken = true;
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}
