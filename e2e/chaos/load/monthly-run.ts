// Starts the monthly run, again and again and with double clicks, and asks for what is missing. Once a month is
// complete, another one begins, so that profiles are under way during the whole run.
import { resultOf } from './load-client.js';
import type { LoadContext, LoadKind } from './load.types.js';

export const monthlyRun: LoadKind = {
  name: 'monthly run and retry',
  async act(context) {
    const { client, random, months } = context;
    const month = months.current;
    const clicks = random.oneIn(3) ? 2 : 1;
    await Promise.all(Array.from({ length: clicks }, () => start(context, month)));
    const report = await client.ask<{ is_complete: boolean; selected: number }>(
      'coordinator',
      'GET',
      `/months/${month}/report?names=0`,
      {
        // 404: the run has selected nobody yet.
        expected: [200, 404],
        path: '/months/:month/report',
      },
    );
    if (report.status === 200 && report.body?.is_complete && report.body.selected > 0) months.completed(month);
    else if (random.oneIn(3)) await retry(context, month);
  },

  async close(context) {
    await start(context, context.months.current);
  },
};

async function start({ client, tell }: LoadContext, month: string): Promise<void> {
  const sentMs = Date.now();
  // 409: a run is under way.
  const reply = await client.ask('coordinator', 'POST', '/run', { expected: [202, 409], json: { month } });
  tell({ what: 'month', month, sentMs, result: resultOf(reply) });
}

async function retry({ client, tell }: LoadContext, month: string): Promise<void> {
  const reply = await client.ask<{ started: number }>('coordinator', 'POST', `/months/${month}/retry-missing`, {
    expected: [200, 404],
    json: {},
    path: '/months/:month/retry-missing',
  });
  tell({ what: 'retry', month, result: resultOf(reply), started: reply.body?.started ?? 0 });
}
