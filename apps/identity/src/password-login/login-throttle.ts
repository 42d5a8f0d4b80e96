// Counts attempts to sign in before they are made, the password and what follows it alike (decision 0025).
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { AppEvents } from '../events.js';
import { AttemptsInFlight } from '../throttle/attempts-in-flight.js';
import { AttemptsStore, type AttemptResult } from '../throttle/attempts.store.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import type { LoginLimit } from './login-limits.js';
import { tooManyLogins } from './password-hashing.js';

/** Longest wait for attempts in flight, milliseconds; in a third of it a hundred passwords are checked. */
const waitMsMax = 10_000;

export type LoginVia = 'form' | 'rest' | 'password_change' | 'second_factor';

/** An attempt that was counted and may be made. It counts as failed unless one of the functions is called. */
export interface AllowedAttempt extends Pick<AttemptResult, 'user' | 'passwordHash'> {
  kind: 'allowed';
  /** @param isComplete whether the user is signed in now. Otherwise earlier failures stay: a next step may fail. */
  succeed: (isComplete: boolean) => void;
  /** An attempt that could not be checked is no failure. */
  giveBack: () => Promise<void>;
}

export interface ThrottledAttempt extends Pick<AttemptResult, 'user'> {
  kind: 'throttled';
  retryAfterSeconds: number;
}

@Injectable()
export class LoginThrottle {
  private readonly inFlight = new AttemptsInFlight();
  /**
   * Full windows that had an audit row in the last minute. A refusal costs its sender nothing: with a row for each,
   * anybody could fill the table. Some 2 MB when full.
   */
  private readonly auditedRefusals = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(
    private readonly config: AppConfig,
    private readonly attempts: AttemptsStore,
    private readonly audit: AuditLog,
    private readonly events: AppEvents,
  ) {}

  /** Runs in a unit of work, and is settled with it. The user of the email key comes with the answer. */
  async begin(
    limits: LoginLimit[],
    { via, emailKey }: { via: LoginVia; emailKey: string | undefined },
  ): Promise<AllowedAttempt | ThrottledAttempt> {
    const unit = unitOfWork();
    const attempt = await this.take(limits, emailKey);
    const { user, passwordHash, retryAfterSeconds } = attempt;
    if (!attempt.allowed) {
      this.recordThrottled(limits, attempt.fullKeys, { via, userId: user?.id });
      return { kind: 'throttled', user, retryAfterSeconds };
    }
    const settle = this.inFlight.begin(limits.map((limit) => limit.key));
    let succeeded = false;
    unit.atEnd.push(() => settle(succeeded));
    return {
      kind: 'allowed',
      user,
      passwordHash,
      succeed: (isComplete) => {
        succeeded = true;
        for (const { key, afterSuccess } of limits) {
          (isComplete && afterSuccess === 'clear' ? unit.clearedAttempts : unit.refundedAttempts).push(key);
        }
      },
      giveBack: () => this.attempts.giveBack(limits),
    };
  }

  /**
   * Counts the attempt, after those in flight have left room for it and earlier logins have had their turn. Not
   * allowed: failures alone fill a window.
   */
  private async take(limits: LoginLimit[], emailKey: string | undefined) {
    const arrival = this.inFlight.arrive();
    const deadline = performance.now() + waitMsMax;
    let awaited = this.inFlight.waitedFor(limits.map(({ key }) => key));
    for (;;) {
      if (awaited !== undefined) {
        if (this.inFlight.waiting >= this.config.PASSWORD_HASHES_WAITING || performance.now() > deadline)
          throw tooManyLogins();
        await this.inFlight.wait(awaited, arrival);
      }
      let attempt: AttemptResult | undefined;
      let next: string | undefined;
      try {
        attempt = await this.attempts.take(limits, emailKey);
        if (attempt.allowed) return attempt;
        next = this.inFlight.leavingRoom(attempt.fullKeys);
      } finally {
        // It takes no place in the window that it waited for, and waits for that window no longer.
        if (awaited !== undefined && awaited !== next && !attempt?.allowed) this.inFlight.passOn(awaited);
      }
      if (next === undefined) return attempt;
      awaited = next;
    }
  }

  /** Counts every refusal, and writes at most one audit row a minute for a window. */
  private recordThrottled(
    limits: LoginLimit[],
    fullKeys: readonly string[],
    { via, userId }: { via: LoginVia; userId: string | undefined },
  ): void {
    const full = limits.find(({ key }) => fullKeys.includes(key)) ?? limits[0]!;
    this.events.emit('login_throttled', { limit: full.name, via, user_id: userId });
    if (this.auditedRefusals.has(full.key)) return;
    this.auditedRefusals.set(full.key, true);
    this.audit.record({ event: 'login.throttled', userId, details: { via, limit: full.name } });
  }
}
