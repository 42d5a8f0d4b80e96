// A TCP relay between a service and its dependency, to test a dependency that is gone or hangs.
import net, { type AddressInfo } from 'node:net';

export class Relay {
  private readonly pairs = new Set<{ inbound: net.Socket; outbound: net.Socket }>();
  private isUp = true;
  private isStill = false;

  private constructor(private readonly server: net.Server) {}

  /** Relays from a free port of this machine to the host and port of the URL. */
  static async to({ hostname, port }: URL): Promise<Relay> {
    const server = net.createServer();
    const relay = new Relay(server);
    server.on('connection', (inbound) => {
      if (relay.isUp) relay.join(inbound, net.connect(Number(port), hostname));
      else inbound.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    // The address of a server that listens on a port.
    return (this.server.address() as AddressInfo).port;
  }

  /** Every connection breaks, and no new one is taken. */
  down(): void {
    this.isUp = false;
    for (const { inbound, outbound } of this.pairs) {
      inbound.destroy();
      outbound.destroy();
    }
  }

  up(): void {
    this.isUp = true;
  }

  /** Connections stay and new ones are taken, but nothing passes any more. */
  hang(): void {
    if (this.isStill) return;
    this.isStill = true;
    for (const { inbound, outbound } of this.pairs) {
      inbound.unpipe().pause();
      outbound.unpipe().pause();
    }
  }

  /** What was held back passes, and everything after it. */
  resume(): void {
    // A second pipe would send every byte twice.
    if (!this.isStill) return;
    this.isStill = false;
    for (const { inbound, outbound } of this.pairs) connect(inbound, outbound);
  }

  close(): void {
    this.down();
    this.server.close();
  }

  private join(inbound: net.Socket, outbound: net.Socket): void {
    const pair = { inbound, outbound };
    this.pairs.add(pair);
    for (const socket of [inbound, outbound]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        inbound.destroy();
        outbound.destroy();
      });
    }
    if (!this.isStill) connect(inbound, outbound);
  }
}

function connect(one: net.Socket, other: net.Socket): void {
  one.pipe(other);
  other.pipe(one);
}
