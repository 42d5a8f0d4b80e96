// A mail server that keeps what it receives in memory and sends nothing on. On the loopback interface alone.
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface CaughtMail {
  from: string;
  /** To whom it was to be delivered, whatever its headers say. */
  to: string[];
  subject: string;
  text: string;
  headers: { key: string; value: string }[];
  receivedAt: Date;
}

/** The oldest mails go first. */
const keptMax = 200;

export class MailCatcher {
  readonly mails: CaughtMail[] = [];
  /** With this SMTP status every recipient is refused. */
  refusesWith: number | undefined;
  /** Recipients that were refused. */
  refusals = 0;
  private readonly server: SMTPServer;

  private constructor() {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      size: 1_000_000,
      onRcptTo: (_address, _session, callback) => {
        if (this.refusesWith === undefined) return callback();
        this.refusals += 1;
        return callback(Object.assign(new Error('refused'), { responseCode: this.refusesWith }));
      },
      onData: (stream, { envelope }, callback) => {
        void this.keep(
          stream,
          envelope.rcptTo.map(({ address }) => address),
        ).then(() => callback(), callback);
      },
    });
  }

  /** @param port 0 takes any free one */
  static async start(port = 0): Promise<MailCatcher> {
    const catcher = new MailCatcher();
    await new Promise<void>((resolve, reject) => {
      catcher.server.once('error', reject);
      catcher.server.listen(port, '127.0.0.1', () => resolve());
    });
    // A client that breaks off is no fault of ours.
    catcher.server.on('error', () => undefined);
    return catcher;
  }

  get url(): string {
    // A server that listens on a port has an address of this kind.
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** The newest mail to the address. */
  mailTo(address: string): CaughtMail | undefined {
    return this.mails.findLast(({ to }) => to.includes(address));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async keep(stream: NodeJS.ReadableStream, to: string[]): Promise<void> {
    const mail = await PostalMime.parse(await buffer(stream));
    this.mails.push({
      to,
      from: mail.from?.address ?? '',
      subject: mail.subject ?? '',
      text: mail.text ?? '',
      headers: mail.headers.map(({ key, value }) => ({ key, value })),
      receivedAt: new Date(),
    });
    if (this.mails.length > keptMax) this.mails.shift();
  }
}
