// What every RunProvider promises. The world is a provider account that the suite may use and can make misbehave.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  isTerminalRunStatus,
  type ItemPage,
  type ProviderRun,
  type RunInput,
  type RunLimits,
  type RunProvider,
} from '../src/index.js';

export type StartTrouble =
  'rate_limited' | 'no_capacity' | 'error_before' | 'error_after' | 'timeout_after' | 'reset_after' | 'bad_request';

export interface RunProviderWorld {
  provider: RunProvider;
  /** A provider that reaches nobody. */
  unreachable: RunProvider;
  webhookUrl: string;
  /** Headers and bodies of webhooks with this correlation id. */
  webhooksOf(correlationId: string): { headers: Record<string, unknown>; body: unknown }[];
  /** Makes the next start of this correlation id go wrong. */
  troubleStart(correlationId: string, trouble: StartTrouble): void;
  /** Makes the next calls of these operations fail with 500, that often. */
  failNext(operation: 'run.get' | 'run.abort' | 'run.list' | 'run.input' | 'dataset.items', times: number): void;
  /** Ends all trouble. */
  calm(): void;
  /** Keeps a run from ending on its own. */
  keepRunning(correlationId: string): void;
  /** Real starts of this correlation id, answered or not. */
  startsOf(correlationId: string): number;
  close(): Promise<void>;
}

export const anInput: RunInput = {
  networkHandle: 'ada-lovelace',
  entity: 'PERSON',
  postedLimit: 'any',
  maxPosts: 10,
  scrapeReactions: true,
  maxReactions: 5,
  scrapeComments: true,
  maxComments: 5,
  commentsPostedLimit: 'any',
};

export const limits: RunLimits = { itemsMax: 10_000, chargeUsdMax: 50 };

export function describeRunProvider(name: string, open: () => Promise<RunProviderWorld>): void {
  describe(`RunProvider: ${name}`, () => {
    let world: RunProviderWorld;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(async () => world.close());

    const start = (correlationId: string, input: RunInput = anInput, within: RunLimits = limits) =>
      world.provider.start(
        input,
        {
          webhookUrl: world.webhookUrl,
          webhookHeaders: { 'X-Webhook-Secret': 's3cret' },
          correlationId,
        },
        within,
      );
    const started = async (correlationId: string, input?: RunInput, within?: RunLimits) => {
      const outcome = await start(correlationId, input, within);
      if (outcome.outcome !== 'started') throw new Error(JSON.stringify(outcome));
      return outcome.run;
    };
    const ended = async (run: ProviderRun) =>
      until(async () => {
        const found = await world.provider.findRun(run.id);
        return found && isTerminalRunStatus(found.status) ? found : undefined;
      });
    const minuteAgo = () => new Date(Date.now() - 60_000);

    it('starts a run, which ends, sends its webhook and leaves its items in order', async () => {
      const id = randomUUID();
      const run = await started(id);
      expect(run.startedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
      const end = await ended(run);
      expect(end).toMatchObject({ id: run.id, status: 'SUCCEEDED', datasetId: run.datasetId });
      expect(end.finishedAt).toBeInstanceOf(Date);
      expect(end.costUsd).toBeGreaterThan(0);
      const [webhook] = await until(async () => (world.webhooksOf(id).length > 0 ? world.webhooksOf(id) : undefined));
      expect(webhook?.headers).toMatchObject({ 'x-webhook-secret': 's3cret', 'x-correlation-id': id });
      expect(webhook?.body).toMatchObject({
        eventType: 'ACTOR.RUN.SUCCEEDED',
        eventData: { actorRunId: run.id },
        resource: { id: run.id, status: 'SUCCEEDED' },
      });

      const whole = await world.provider.readItems(run.datasetId, { offset: 0, limit: 10_000 });
      const paged: unknown[] = [];
      let largestPage = 0;
      for await (const page of readItemPages(world.provider, run.datasetId, 7)) {
        expect(page.offset).toBe(paged.length);
        largestPage = Math.max(largestPage, page.items.length);
        paged.push(...page.items);
      }
      expect(whole?.total).toBeGreaterThan(7);
      expect(largestPage).toBe(7);
      expect(paged).toEqual(whole?.items);
    });

    it.each([
      ['items', { ...limits, itemsMax: 7 }],
      ['cost', { ...limits, chargeUsdMax: 0.1 }],
    ])('ends a run that asks for everything at its limit of %s', async (_name, within) => {
      const everything: RunInput = { ...anInput, maxPosts: 0, postedLimit: '6months' };
      const unlimited = await ended(await started(randomUUID(), everything));
      const limited = await ended(await started(randomUUID(), everything, within));
      const itemsOf = async (run: ProviderRun) =>
        (await world.provider.readItems(run.datasetId, { offset: 0, limit: 1 }))!.total;
      const all = await itemsOf(unlimited);
      const some = await itemsOf(limited);
      expect(all).toBeGreaterThan(60);
      expect(some).toBeGreaterThan(0);
      expect(some).toBeLessThanOrEqual(within.itemsMax === 7 ? 7 : 60);
      expect(limited.status).toBe('SUCCEEDED');
      expect(limited.costUsd).toBeLessThanOrEqual(within.chargeUsdMax);
      expect(limited.costUsd).toBeLessThan(unlimited.costUsd!);
    });

    it('returns the input and the correlation id of a run, and finds the run by that id', async () => {
      const id = randomUUID();
      const run = await started(id, { ...anInput, networkHandle: 'acme & söhne', entity: 'COMPANY', maxPosts: 3 });
      expect(await world.provider.readRunInput(run)).toEqual({
        correlationId: id,
        input: expect.objectContaining({
          targetUrls: ['https://network.example/company/acme%20%26%20s%C3%B6hne/'],
          maxPosts: 3,
        }) as unknown,
      });
      expect((await findRun(world.provider, id, minuteAgo()))?.id).toBe(run.id);
      expect(await findRun(world.provider, randomUUID(), minuteAgo())).toBeUndefined();
    });

    it('lists the runs since a date, oldest first', async () => {
      const first = await started(randomUUID());
      await new Promise((resolve) => setTimeout(resolve, 5));
      const second = await started(randomUUID());
      const listed = await collect(world.provider.listRunsSince(second.startedAt));
      expect(listed.map((run) => run.id)).toContain(second.id);
      expect(listed.map((run) => run.id)).not.toContain(first.id);
      const all = await collect(world.provider.listRunsSince(minuteAgo()));
      const times = all.map((run) => run.startedAt.getTime());
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    it('aborts a run through ABORTING, and leaves a finished run as it is', async () => {
      const id = randomUUID();
      world.keepRunning(id);
      const run = await started(id);
      expect((await world.provider.abortRun(run.id))?.status).toMatch(/^ABORT/);
      expect((await ended(run)).status).toBe('ABORTED');

      const finished = await started(randomUUID());
      await ended(finished);
      expect((await world.provider.abortRun(finished.id))?.status).toBe('SUCCEEDED');
    });

    it('finds nothing for runs and datasets that do not exist', async () => {
      expect(await world.provider.findRun('DoesNotExist12345')).toBeUndefined();
      expect(await world.provider.abortRun('DoesNotExist12345')).toBeUndefined();
      expect(await world.provider.readItems('DoesNotExist12345', { offset: 0, limit: 1 })).toBeUndefined();
    });

    it.each([
      ['rate_limited', { outcome: 'no_capacity', retryAfterMs: 7000 }],
      ['no_capacity', { outcome: 'no_capacity', retryAfterMs: 1234 }],
      ['error_before', { outcome: 'unknown_outcome' }],
      ['bad_request', { outcome: 'refused', status: 400 }],
    ] as const)('a start met by %s begins nothing and is tried once', async (trouble, expected) => {
      const id = randomUUID();
      world.troubleStart(id, trouble);
      expect(await start(id)).toMatchObject(expected);
      expect(world.startsOf(id)).toBe(0);
      expect(await findRun(world.provider, id, minuteAgo())).toBeUndefined();
    });

    it.each(['error_after', 'timeout_after', 'reset_after'] as const)(
      'a start met by %s is of unknown outcome, happened once, and is found again',
      async (trouble) => {
        const id = randomUUID();
        world.troubleStart(id, trouble);
        expect((await start(id)).outcome).toBe('unknown_outcome');
        expect(world.startsOf(id)).toBe(1);
        expect(await findRun(world.provider, id, minuteAgo())).toBeDefined();
      },
    );

    it('a start that reaches no server is unavailable, so nothing can have begun', async () => {
      const outcome = await world.unreachable.start(
        anInput,
        {
          webhookUrl: world.webhookUrl,
          webhookHeaders: {},
          correlationId: randomUUID(),
        },
        limits,
      );
      expect(outcome).toMatchObject({ outcome: 'unavailable', retryAfterMs: 1234 });
    });

    it('repeats safe calls', async () => {
      const id = randomUUID();
      const run = await started(id);
      await ended(run);
      for (const operation of ['run.get', 'run.abort', 'run.list', 'run.input', 'dataset.items'] as const) {
        world.failNext(operation, 2);
      }
      expect((await world.provider.findRun(run.id))?.id).toBe(run.id);
      expect((await world.provider.abortRun(run.id))?.id).toBe(run.id);
      expect((await findRun(world.provider, id, minuteAgo()))?.id).toBe(run.id);
      expect((await world.provider.readItems(run.datasetId, { offset: 0, limit: 1 }))?.items).toHaveLength(1);
    });

    it('gives up a call that keeps failing, with an error that names no secret', async () => {
      const run = await started(randomUUID());
      await ended(run);
      world.failNext('run.get', 50);
      const error = await world.provider.findRun(run.id).catch((thrown: unknown) => thrown as Error);
      world.calm();
      expect(error).toMatchObject({ code: 'dependency.unavailable', status: 503, retryable: true });
      expect(JSON.stringify([error, (error as Error).message, String((error as Error).cause)])).not.toContain(
        'secret-provider-token',
      );
    });
  });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Asks again until there is an answer, for at most ten seconds. */
export async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error('the condition did not come true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function findRun(provider: RunProvider, correlationId: string, since: Date): Promise<ProviderRun | undefined> {
  for await (const run of provider.listRunsSince(since)) {
    const found = await provider.readRunInput(run);
    if (found?.correlationId === correlationId) return run;
  }
  return undefined;
}

async function* readItemPages(provider: RunProvider, datasetId: string, limit: number): AsyncGenerator<ItemPage> {
  for (let offset = 0; ;) {
    const page = await provider.readItems(datasetId, { offset, limit });
    if (!page || page.items.length === 0) return;
    yield page;
    offset += page.items.length;
    if (offset >= page.total) return;
  }
}
