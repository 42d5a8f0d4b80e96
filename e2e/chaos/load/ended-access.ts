// What an operator ended, and how it is tried again: a revoked key, and whatever a disabled user had.
import type { Ended, LoadContext, LoadKind } from './load.types.js';

/** Of these, the latest, one is picked. At the end all are tried. */
const recent = 20;
const triedTogether = 10;

/** The operator's command. Every entry is tried at once, and later by `useEnded`. */
export async function end(
  context: LoadContext,
  command: () => Promise<'ok' | 'unknown'>,
  endings: readonly Ended[],
): Promise<void> {
  const sentMs = Date.now();
  const result = await command();
  for (const { kind, subject } of endings)
    context.tell({ what: 'ended access', kind, subject, use: 'end', sentMs, result });
  if (result !== 'ok') return;
  context.ended.push(...endings);
  await Promise.all(endings.map((ended) => attempt(context, ended)));
}

export const useEnded: LoadKind = {
  name: 'use of what was revoked',
  async act(context) {
    const latest = context.ended.slice(-recent);
    if (latest.length > 0) await attempt(context, context.random.pick(latest));
  },

  async close(context) {
    for (let first = 0; first < context.ended.length; first += triedTogether) {
      const some = context.ended.slice(first, first + triedTogether);
      await Promise.all(some.map((ended) => attempt(context, ended)));
    }
  },
};

async function attempt(context: LoadContext, { kind, subject, attempt: use }: Ended): Promise<void> {
  const sentMs = Date.now();
  const result = await use(context);
  context.tell({ what: 'ended access', kind, subject, use: 'try', sentMs, result });
}
