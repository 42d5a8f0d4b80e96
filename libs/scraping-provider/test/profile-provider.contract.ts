// What every ProfileProvider promises.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProfileProvider } from '../src/index.js';
import { until } from './run-provider.contract.js';

export type ProfileTrouble =
  'rate_limited' | 'error_before' | 'error_after' | 'timeout_after' | 'reset_after' | 'bad_request';

export interface ProfileProviderWorld {
  provider: ProfileProvider;
  /** A provider that reaches nobody. */
  unreachable: ProfileProvider;
  webhookUrl: string;
  webhooksOf(correlationId: string): { headers: Record<string, unknown>; body: unknown }[];
  troubleStart(correlationId: string, trouble: ProfileTrouble): void;
  /** Makes the scrape of this correlation id fail. */
  failScrape(correlationId: string): void;
  failNext(operation: 'profile.list' | 'profile.get', times: number): void;
  /** Lets only so many scrapes be active, none of which ends. */
  fillSlots(): Promise<void>;
  startsOf(correlationId: string): number;
  close(): Promise<void>;
}

export function describeProfileProvider(name: string, open: () => Promise<ProfileProviderWorld>): void {
  describe(`ProfileProvider: ${name}`, () => {
    let world: ProfileProviderWorld;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(async () => world.close());

    const start = (correlationId: string, networkUsername = 'ada-lovelace') =>
      world.provider.startProfile({
        networkUsername,
        webhookUrl: world.webhookUrl,
        webhookHeaders: { 'X-Webhook-Secret': 's3cret' },
        correlationId,
      });

    it('scrapes one profile, delivers it with our headers, and still has the result', async () => {
      const id = randomUUID();
      const outcome = await start(id, 'zoë-müller');
      if (outcome.outcome !== 'started') throw new Error(JSON.stringify(outcome));
      const [webhook] = await until(async () => (world.webhooksOf(id).length > 0 ? world.webhooksOf(id) : undefined));
      expect(webhook?.headers).toMatchObject({ 'x-webhook-secret': 's3cret', 'x-correlation-id': id });
      const text = expect.any(String) as unknown;
      expect(webhook?.body).toEqual({
        url: expect.stringContaining('/in/zo%C3%AB-m%C3%BCller') as unknown,
        data: { profile: { name: text, headline: text, location: text } },
      });
      const scrape = await world.provider.findScrape(outcome.scrapeId);
      expect(scrape).toMatchObject({
        id: outcome.scrapeId,
        networkUsername: 'zoë-müller',
        correlationId: id,
        status: 'SUCCEEDED',
      });
      expect(scrape?.result).toEqual(webhook?.body);
      expect(await world.provider.listByCorrelationId(id)).toEqual([scrape]);
    });

    it('reports a profile that could not be scraped', async () => {
      const id = randomUUID();
      world.failScrape(id);
      await start(id);
      const [scrape] = await until(async () => {
        const found = await world.provider.listByCorrelationId(id);
        return found[0]?.status === 'FAILED' ? found : undefined;
      });
      expect(scrape?.result).toMatchObject({ data: { profile: null } });
    });

    it('finds nothing for scrapes that do not exist', async () => {
      expect(await world.provider.findScrape('DoesNotExist12345')).toBeUndefined();
      expect(await world.provider.listByCorrelationId(randomUUID())).toEqual([]);
    });

    it.each([
      ['rate_limited', { outcome: 'no_capacity', retryAfterMs: 7000 }],
      ['error_before', { outcome: 'unknown_outcome', status: 500 }],
      ['bad_request', { outcome: 'refused', status: 400 }],
    ] as const)('a start met by %s begins nothing and is tried once', async (trouble, expected) => {
      const id = randomUUID();
      world.troubleStart(id, trouble);
      expect(await start(id)).toMatchObject(expected);
      expect(world.startsOf(id)).toBe(0);
      expect(await world.provider.listByCorrelationId(id)).toEqual([]);
    });

    it.each(['error_after', 'timeout_after', 'reset_after'] as const)(
      'a start met by %s is of unknown outcome, happened once, and is found again',
      async (trouble) => {
        const id = randomUUID();
        world.troubleStart(id, trouble);
        expect((await start(id)).outcome).toBe('unknown_outcome');
        expect(world.startsOf(id)).toBe(1);
        expect(await world.provider.listByCorrelationId(id)).toHaveLength(1);
      },
    );

    it('a start that reaches no server is unavailable, so nothing can have begun', async () => {
      const outcome = await world.unreachable.startProfile({
        networkUsername: 'ada-lovelace',
        webhookUrl: world.webhookUrl,
        webhookHeaders: {},
        correlationId: randomUUID(),
      });
      expect(outcome).toMatchObject({ outcome: 'unavailable', retryAfterMs: 1234 });
    });

    it('repeats safe calls, and gives up with an error that names no secret', async () => {
      const id = randomUUID();
      await start(id);
      world.failNext('profile.list', 2);
      expect(await world.provider.listByCorrelationId(id)).toHaveLength(1);
      world.failNext('profile.get', 4);
      const error = await world.provider.findScrape('any').catch((thrown: unknown) => thrown as Error);
      expect(error).toMatchObject({ code: 'dependency.unavailable', status: 503, retryable: true });
      expect(JSON.stringify([error, (error as Error).message, String((error as Error).cause)])).not.toContain(
        'secret-provider-token',
      );
    });

    it('answers no_capacity while all slots are taken', async () => {
      await world.fillSlots();
      expect(await start(randomUUID())).toMatchObject({ outcome: 'no_capacity', retryAfterMs: 1000 });
    });
  });
}
