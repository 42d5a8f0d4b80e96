// Starts the monthly run, again and again and with double clicks, and asks for what is missing.
import { resultOf } from './load-client.js';
import type { LoadContext, LoadKind } from './load.types.js';

export const monthlyRun: LoadKind = {
  name: 'monthly run and retry',
  async act(context) {
    const { client, random } = context;
    const month = new Date().toISOString().slice(0, 7);
    const clicks = random.oneIn(3) ? 2 : 1;
    await Promise.all(Array.from({ length: clicks }, () => start(context, month)));
    await client.ask('coordinator', 'GET', `/months/${month}/report?names=0`, {
      // 404: the run has selected nobody yet.
      expected: [200, 404],
      path: '/months/:month/report',
    });
    if (random.oneIn(3)) await retry(context, month);
  },

  async close(context) {
    await start(context, new Date().toISOString().slice(0, 7));
  },
};

async function start({ client, tell }: LoadContext, month: string): Promise<void> {
  // 409: a run is under way.
  const reply = await client.ask('coordinator', 'POST', '/run', { expected: [202, 409], json: {} });
  tell({ what: 'month', month, result: resultOf(reply) });
}

async function retry({ client, tell }: LoadContext, month: string): Promise<void> {
  const reply = await client.ask<{ started: number }>('coordinator', 'POST', `/months/${month}/retry-missing`, {
    expected: [200, 404],
    json: {},
    path: '/months/:month/retry-missing',
  });
  tell({ what: 'retry', month, result: resultOf(reply), started: reply.body?.started ?? 0 });
}
