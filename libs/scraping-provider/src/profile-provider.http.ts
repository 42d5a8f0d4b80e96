import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@tradewind/shared-types';
import {
  failedCall,
  failedStart,
  failureDetail,
  meaningOfFailure,
  retryAfterMs,
  type CallFailure,
} from './provider-failures.js';
import {
  ProfileProvider,
  profileScrapeStatuses,
  type ProfileRequest,
  type ProfileScrape,
  type ProfileScrapeStatus,
  type ProfileStartOutcome,
} from './profile-provider.port.js';
import type { ProviderSettings } from './provider-settings.js';

/** Longest wait before a read is repeated, unless the provider asks for more. */
const backoffMsMax = 60_000;

type Answer = { ok: true; body: unknown } | { ok: false; failure: CallFailure };

/** The single-profile API: `POST /v1/profile-scrapes`, `GET /v1/profile-scrapes[/{id}]`. */
export class HttpProfileProvider extends ProfileProvider {
  constructor(private readonly settings: ProviderSettings) {
    super();
  }

  async startProfile(request: ProfileRequest): Promise<ProfileStartOutcome> {
    const answer = await this.send('POST', '/v1/profile-scrapes', {
      username: request.networkUsername,
      webhook_url: request.webhookUrl,
      webhook_headers: request.webhookHeaders,
      correlation_id: request.correlationId,
    });
    if (!answer.ok) return failedStart(answer.failure, this.settings.PROVIDER_NO_CAPACITY_DELAY_MS);
    const id = field(answer.body, 'id');
    if (!isId(id))
      return {
        outcome: 'unknown_outcome',
        status: undefined,
        detail: 'provider accepted the profile without naming an id',
      };
    return { outcome: 'started', scrapeId: id };
  }

  async listByCorrelationId(correlationId: string): Promise<ProfileScrape[]> {
    const body = await this.read(`/v1/profile-scrapes?correlation_id=${encodeURIComponent(correlationId)}`);
    const scrapes = field(body, 'scrapes');
    if (!Array.isArray(scrapes)) throw unreadable('a list of scrapes');
    return scrapes.map(toScrape);
  }

  async findScrape(scrapeId: string): Promise<ProfileScrape | undefined> {
    const body = await this.read(`/v1/profile-scrapes/${encodeURIComponent(scrapeId)}`);
    return body === undefined ? undefined : toScrape(body);
  }

  /** Repeats what is not a refusal, with doubling delays and jitter. Undefined for 404. */
  private async read(path: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send('GET', path);
      if (answer.ok) return answer.body;
      if (answer.failure.status === 404) return undefined;
      if (meaningOfFailure(answer.failure) === 'refused' || attempt > this.settings.PROVIDER_RETRIES) {
        throw failedCall(answer.failure);
      }
      // Between one and two times the delay after the first attempt.
      const range = { backoffMsMin: 2 * this.settings.PROVIDER_RETRY_DELAY_MS, backoffMsMax };
      await delay(Math.max(backoffMs(attempt, range), answer.failure.retryAfterMs ?? 0));
    }
  }

  private async send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    try {
      const response = await fetch(this.settings.PROVIDER_BASE_URL.replace(/\/+$/, '') + path, {
        method,
        headers: {
          authorization: `Bearer ${this.settings.PROVIDER_TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.settings.PROVIDER_TIMEOUT_MS),
        redirect: 'error',
      });
      const text = await response.text();
      if (response.ok) return { ok: true, body: JSON.parse(text) as unknown };
      return {
        ok: false,
        failure: {
          status: response.status,
          type: undefined,
          code: undefined,
          retryAfterMs: retryAfterMs(response.headers.get('retry-after'), new Date()),
          detail: failureDetail(`provider answered ${response.status}: ${text}`),
        },
      };
    } catch (error) {
      return { ok: false, failure: withoutAnswer(error) };
    }
  }
}

function withoutAnswer(error: unknown): CallFailure {
  // fetch wraps the system error: TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }).
  const cause = field(error, 'cause') ?? error;
  const code = field(cause, 'code');
  const message = error instanceof Error ? error.message : String(error);
  return {
    status: undefined,
    type: undefined,
    code: typeof code === 'string' ? code : undefined,
    retryAfterMs: undefined,
    detail: failureDetail(
      `no usable answer from the provider${typeof code === 'string' ? ` (${code})` : ''}: ${message}`,
    ),
  };
}

function toScrape(value: unknown): ProfileScrape {
  const id = field(value, 'id');
  const username = field(value, 'username');
  const status = field(value, 'status');
  const createdAt = field(value, 'created_at');
  const isTime = typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt));
  if (!isId(id) || typeof username !== 'string' || !isStatus(status) || !isTime) throw unreadable('a scrape');
  const correlationId = field(value, 'correlation_id');
  return {
    id,
    networkUsername: username,
    correlationId: typeof correlationId === 'string' ? correlationId : undefined,
    status,
    createdAt: new Date(createdAt),
    result: field(value, 'result') ?? undefined,
  };
}

/** Anything else is not one of the provider's names, and may be too long for a table. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
}

function isStatus(value: unknown): value is ProfileScrapeStatus {
  return (profileScrapeStatuses as readonly unknown[]).includes(value);
}

function unreadable(expected: string) {
  return failedCall({
    status: undefined,
    type: undefined,
    code: undefined,
    retryAfterMs: undefined,
    detail: `provider answered something other than ${expected}`,
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
