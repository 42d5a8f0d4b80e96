// Checks an email address and a password, for the login form and for POST /auth/login. Limits, work and answer are the
// same whether or not the account exists.
import { Injectable } from '@nestjs/common';
import { clientNetwork } from '@tradewind/service-kit';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { AppEvents } from '../events.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { emailKey } from '../users/email-key.js';
import { PasswordHashing, tooManyLogins } from './password-hashing.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import { AttemptsInFlight } from '../throttle/attempts-in-flight.js';
import { AttemptsStore } from '../throttle/attempts.store.js';
import type { Origin } from './fair-queue.js';
import { KnownBrowsers } from './known-browsers.js';
import { loginLimits, type LoginLimit } from './login-limits.js';

/** Longest wait for attempts in flight, milliseconds; in a third of it a hundred passwords are checked. */
const waitMsMax = 10_000;

export interface LoginAttempt {
  email: string;
  password: string;
  /** `password_change`: somebody who is signed in sets a new password. */
  via: 'form' | 'rest' | 'password_change';
  /** The Cookie header of a browser. */
  cookies?: string | undefined;
}

export type LoginOutcome =
  { kind: 'ok'; user: User } | { kind: 'refused' } | { kind: 'throttled'; retryAfterSeconds: number };

@Injectable()
export class PasswordLogin {
  private readonly inFlight = new AttemptsInFlight();
  /**
   * Full windows that had an audit row in the last minute. A refusal costs its sender nothing: with a row for each,
   * anybody could fill the table. Some 2 MB when full.
   */
  private readonly auditedRefusals = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(
    private readonly config: AppConfig,
    private readonly attempts: AttemptsStore,
    private readonly hashing: PasswordHashing,
    private readonly users: UsersStore,
    private readonly browsers: KnownBrowsers,
    private readonly audit: AuditLog,
    private readonly events: AppEvents,
  ) {}

  /** Runs in a unit of work: limits and audit rows are stored with the request's other writes. */
  async check({ email, password, via, cookies }: LoginAttempt): Promise<LoginOutcome> {
    const unit = unitOfWork();
    const key = emailKey(email);
    const network = clientNetwork(unit.ip);
    const browserId = await this.knownBrowser(cookies, key);
    const limits = loginLimits(this.config, { account: key ?? email, network, browserId });
    const attempt = await this.take(limits, key);
    const { user } = attempt;
    if (!attempt.allowed) {
      this.recordThrottled(limits, attempt.fullKeys, { via, userId: user?.id });
      return { kind: 'throttled', retryAfterSeconds: attempt.retryAfterSeconds };
    }
    const settle = this.inFlight.begin(limits.map((limit) => limit.key));
    let succeeded = false;
    unit.atEnd.push(() => settle(succeeded));
    // What this login stores has the version of the credentials from before the password was checked.
    if (user) unit.users.set(user.id, user);
    const isActive = user !== undefined && !user.isDisabled;
    const origin: Origin = { isKnown: browserId !== undefined, key: browserId ?? network };
    const isRight = await this.hashing
      .verify(isActive ? attempt.passwordHash : undefined, password, origin)
      .catch(async (error: unknown) => {
        // An attempt whose password was not checked is no failure.
        await this.attempts.giveBack(limits);
        throw error;
      });
    if (!user || !isActive || !isRight) {
      this.audit.record({ event: 'login.failed', userId: user?.id, details: { via } });
      return { kind: 'refused' };
    }
    succeeded = true;
    for (const limit of limits) {
      (limit.afterSuccess === 'clear' ? unit.clearedAttempts : unit.refundedAttempts).push(limit.key);
    }
    // The new password has an event of its own.
    if (via !== 'password_change') this.audit.record({ event: 'login.succeeded', userId: user.id, details: { via } });
    return { kind: 'ok', user };
  }

  /** The id of a browser that signed in to this account before, with its present password. */
  private async knownBrowser(cookies: string | undefined, key: string | undefined): Promise<string | undefined> {
    if (key === undefined || !this.browsers.isKnown(cookies)) return undefined;
    const user = await this.users.findByEmailKey(key);
    return user && this.browsers.find(cookies, user);
  }

  /** Counts the attempt, after those in flight have left room for it. Not allowed: failures alone fill a window. */
  private async take(limits: LoginLimit[], emailKey: string | undefined) {
    const deadline = performance.now() + waitMsMax;
    for (;;) {
      const attempt = await this.attempts.take(limits, emailKey);
      if (attempt.allowed) return attempt;
      const settled = this.inFlight.untilOneSettles(attempt.fullKeys);
      if (settled === undefined) return attempt;
      if (this.inFlight.waiting > this.config.PASSWORD_HASHES_WAITING || performance.now() > deadline)
        throw tooManyLogins();
      await settled;
    }
  }

  /** Counts every refusal, and writes at most one audit row a minute for a window. */
  private recordThrottled(
    limits: LoginLimit[],
    fullKeys: readonly string[],
    { via, userId }: { via: string; userId: string | undefined },
  ): void {
    const full = limits.find(({ key }) => fullKeys.includes(key)) ?? limits[0]!;
    this.events.emit('login_throttled', { limit: full.name, via, user_id: userId });
    if (this.auditedRefusals.has(full.key)) return;
    this.auditedRefusals.set(full.key, true);
    this.audit.record({ event: 'login.throttled', userId, details: { via, limit: full.name } });
  }
}
