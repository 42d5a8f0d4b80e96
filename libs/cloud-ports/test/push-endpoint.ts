// An HTTP endpoint that receives pushes and answers as a test has set it to.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { PushEnvelope } from '@tradewind/shared-types';
import { freePort } from '@tradewind/testkit';

export interface ReceivedPush {
  envelope: PushEnvelope;
  /** Request body as it came. */
  text: string;
  /** Decoded message body. */
  data: string;
  headers: IncomingHttpHeaders;
  receivedMs: number;
}

/** Status to answer with; `hang` never answers, `hang_up` breaks the connection. */
export type PushAnswer = number | 'hang' | 'hang_up';

export interface PushEndpoint {
  url: string;
  pushes: ReceivedPush[];
  /** Decides each answer; 200 unless set. */
  answer: (push: ReceivedPush, earlier: number) => PushAnswer | Promise<PushAnswer>;
  /** Deliveries under way at once, at most so far. */
  concurrencyMax: number;
  /** The pushes whose body begins with the text, once there are as many as asked for. */
  waitFor(prefix: string, count: number, timeoutMs?: number): Promise<ReceivedPush[]>;
  close(): Promise<void>;
}

export async function openPushEndpoint(): Promise<PushEndpoint> {
  let underWay = 0;
  const endpoint: PushEndpoint = {
    url: '',
    pushes: [],
    answer: () => 200,
    concurrencyMax: 0,
    async waitFor(prefix, count, timeoutMs = 20_000) {
      const found = () => endpoint.pushes.filter((push) => push.data.startsWith(prefix));
      await eventually(
        () => found().length >= count,
        timeoutMs,
        () => `${found().length} of ${count} pushes of ${prefix} came`,
      );
      return found();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      // Google's emulator follows redirects; what it finds there is not a push.
      response.writeHead(404).end();
      return;
    }
    underWay += 1;
    endpoint.concurrencyMax = Math.max(endpoint.concurrencyMax, underWay);
    response.once('close', () => (underWay -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const envelope = JSON.parse(text) as PushEnvelope;
        const data = Buffer.from(envelope.message.data, 'base64').toString('utf8');
        const push = { envelope, text, data, headers: request.headers, receivedMs: Date.now() };
        const earlier = endpoint.pushes.filter(
          (each) => each.envelope.message.messageId === envelope.message.messageId,
        ).length;
        endpoint.pushes.push(push);
        const answer = await endpoint.answer(push, earlier);
        if (answer === 'hang_up') request.socket.destroy();
        else if (answer !== 'hang') response.writeHead(answer, { location: '/elsewhere' }).end();
      })();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  endpoint.url = `http://127.0.0.1:${port}/batch-trigger/?source=queue`;
  return endpoint;
}

/** Waits for a condition, looking 50 times a second. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  explain: () => string,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`after ${timeoutMs} ms: ${explain()}`);
    await delay(20);
  }
}
