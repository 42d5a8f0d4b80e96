// Single-profile scrapes: accepted, scraped after a while, delivered to the webhook that came with the request.
import { contentSum } from './content-sum.js';
import type { Faults } from './faults.js';
import type { Journal, Remembered, ScrapeRecord } from './journal.js';
import type { Ledger } from './ledger.js';
import { profileOf } from './people.js';
import { Random } from './random.js';
import { newId } from './runs.js';
import type { ProfileScrapeRequest, Scrape } from './scrape.types.js';
import type { SimulatorSettings } from './settings.js';
import type { WebhookDispatcher } from './webhooks.js';

type EndStatus = 'SUCCEEDED' | 'FAILED';

export class Profiles {
  private readonly byId = new Map<string, Scrape>();
  private readonly byCorrelation = new Map<string, Scrape[]>();
  private readonly finished: string[] = [];
  private active = 0;

  constructor(
    private readonly settings: () => SimulatorSettings,
    private readonly faults: Faults,
    private readonly ledger: Ledger,
    private readonly webhooks: WebhookDispatcher,
    private readonly journal: Journal,
  ) {}

  get activeCount(): number {
    return this.active;
  }

  hasRoom(): boolean {
    return this.active < this.settings().maxConcurrentProfiles;
  }

  start(request: ProfileScrapeRequest): Scrape {
    const scrape: Scrape = {
      ...request,
      id: newId(),
      status: 'RUNNING',
      createdAt: new Date(),
      finishedAt: null,
      timer: undefined,
    };
    this.admit(scrape);
    this.journal.scrapeStarted(scrape);
    const { username: target, correlationId, id } = scrape;
    const struck = this.faults.strikeEvent('profile', { target, correlationId, id });
    if (struck.some((fault) => fault.kind === 'never_ends')) return scrape;
    const slowMs = struck
      .filter((fault) => fault.kind === 'slow')
      .reduce((sum, fault) => sum + (fault.delayMs ?? 5_000), 0);
    this.live(scrape, struck.some((fault) => fault.kind === 'fail') ? 'FAILED' : 'SUCCEEDED', slowMs);
    return scrape;
  }

  /**
   * Continues what an earlier process of the simulator left: ends scrapes that last, delivers webhooks that are due.
   */
  resume(remembered: readonly Remembered<ScrapeRecord>[]): void {
    for (const { record, end, isSettled } of remembered) {
      const scrape: Scrape = {
        ...record,
        correlationId: record.correlationId,
        status: 'RUNNING',
        createdAt: new Date(record.createdAt),
        finishedAt: null,
        timer: undefined,
      };
      this.admit(scrape);
      if (!end) {
        this.live(scrape, 'SUCCEEDED', 0);
        continue;
      }
      // The journal holds what `finish` wrote.
      this.finish(scrape, end.status as EndStatus, end.at);
      if (isSettled) this.ledger.recordDelivered('profile', scrape.id);
      else void this.deliver(scrape);
    }
  }

  async endNow(scrape: Scrape): Promise<void> {
    clearTimeout(scrape.timer);
    await this.end(scrape, 'SUCCEEDED');
  }

  find(id: string): Scrape | undefined {
    return this.byId.get(id);
  }

  /** Oldest first; all of them when no correlation id is given. */
  list(correlationId: string | undefined): Scrape[] {
    return correlationId === undefined ? [...this.byId.values()] : (this.byCorrelation.get(correlationId) ?? []);
  }

  /** The body of the webhook; a profile that could not be scraped is null and comes with a reason. */
  result(scrape: Scrape): unknown {
    const { seed, networkUrl } = this.settings();
    return {
      url: `${networkUrl}/in/${encodeURIComponent(scrape.username)}`,
      data:
        scrape.status === 'FAILED'
          ? { profile: null, error: 'profile_not_found' }
          : { profile: profileOf(seed, scrape.username) },
    };
  }

  reset(): void {
    for (const scrape of this.byId.values()) clearTimeout(scrape.timer);
    this.byId.clear();
    this.byCorrelation.clear();
    this.finished.length = 0;
    this.active = 0;
  }

  private admit(scrape: Scrape): void {
    this.byId.set(scrape.id, scrape);
    if (scrape.correlationId !== undefined) {
      this.byCorrelation.set(scrape.correlationId, [...(this.byCorrelation.get(scrape.correlationId) ?? []), scrape]);
    }
    this.active += 1;
    const { id, username: target, correlationId, createdAt: at } = scrape;
    this.ledger.recordStart('profile', { id, target, correlationId, at });
  }

  private live(scrape: Scrape, status: EndStatus, slowMs: number): void {
    const { seed, profileDurationMs } = this.settings();
    const random = new Random(`${seed}/duration/${scrape.username}`);
    const durationMs = random.integer(profileDurationMs.min, profileDurationMs.max) + slowMs;
    scrape.timer = setTimeout(() => void this.end(scrape, status), durationMs);
  }

  private async end(scrape: Scrape, status: EndStatus): Promise<void> {
    if (scrape.finishedAt !== null || !this.byId.has(scrape.id)) return;
    const now = new Date();
    this.finish(scrape, status, now);
    this.journal.ended(scrape.id, status, now);
    this.ledger.open({
      operation: 'profile.ended',
      target: scrape.username,
      ...(scrape.correlationId === undefined ? {} : { correlationId: scrape.correlationId }),
      id: scrape.id,
      outcome: status,
      contentSum: contentSum(this.result(scrape)),
    });
    await this.deliver(scrape);
  }

  private finish(scrape: Scrape, status: EndStatus, at: Date): void {
    scrape.status = status;
    scrape.finishedAt = at;
    this.active -= 1;
    this.ledger.recordEnd('profile', scrape.id, status, at);
    this.forgetOldest(scrape);
  }

  private async deliver(scrape: Scrape): Promise<void> {
    await this.webhooks.dispatch({
      side: 'profile',
      id: scrape.id,
      target: scrape.username,
      correlationId: scrape.correlationId,
      url: scrape.webhookUrl,
      headers: {
        ...lowerCaseNames(scrape.webhookHeaders),
        'x-scrape-id': scrape.id,
        ...(scrape.correlationId === undefined ? {} : { 'x-correlation-id': scrape.correlationId }),
      },
      body: JSON.stringify(this.result(scrape)),
    });
  }

  private forgetOldest(ended: Scrape): void {
    this.finished.push(ended.id);
    if (this.finished.length <= this.settings().finishedMax) return;
    const oldest = this.byId.get(this.finished.shift() ?? '');
    if (!oldest) return;
    this.byId.delete(oldest.id);
    if (oldest.correlationId !== undefined) this.byCorrelation.delete(oldest.correlationId);
  }
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A scrape as the API shows it. */
export function scrapeBody(scrape: Scrape, result: unknown) {
  return {
    id: scrape.id,
    username: scrape.username,
    correlation_id: scrape.correlationId ?? null,
    status: scrape.status,
    created_at: scrape.createdAt.toISOString(),
    finished_at: scrape.finishedAt?.toISOString() ?? null,
    result: scrape.finishedAt === null ? null : result,
  };
}
