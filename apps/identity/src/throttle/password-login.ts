// Checking an email address and a password, for the login form and for POST /auth/login alike: the same limits, the
// same work and the same answer whether or not there is such an account.
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { currentUnit } from '../oidc/request-unit.js';
import { emailKey } from '../users/email-key.js';
import { PasswordHashing, tooManyLogins } from '../users/password-hashing.js';
import type { User } from '../users/users.types.js';
import { AttemptsInFlight } from './attempts-in-flight.js';
import { AttemptsStore, type AttemptLimit } from './attempts.store.js';

/** Longest wait for attempts in flight, milliseconds; a hundred passwords are checked in a third of it. */
const waitMsMax = 10_000;

export type LoginOutcome =
  { kind: 'ok'; user: User } | { kind: 'refused' } | { kind: 'throttled'; retryAfterSeconds: number };

@Injectable()
export class PasswordLogin {
  private readonly inFlight = new AttemptsInFlight();

  constructor(
    private readonly config: AppConfig,
    private readonly attempts: AttemptsStore,
    private readonly hashing: PasswordHashing,
    private readonly audit: AuditLog,
  ) {}

  /** Runs inside a request unit: what it learns about limits and audits is stored with the request's other writes. */
  async check(email: string, password: string, via: 'form' | 'rest'): Promise<LoginOutcome> {
    const unit = currentUnit();
    if (!unit) throw new Error('a login runs in a request unit');
    const key = emailKey(email);
    const [account, ip] = this.limits(key ?? email, unit.ip);
    const attempt = await this.take([account, ip], key);
    if (!attempt.allowed) {
      await this.audit.record({ event: 'login.throttled', userId: attempt.user?.id, details: { via } });
      return { kind: 'throttled', retryAfterSeconds: attempt.retryAfterSeconds };
    }
    const settle = this.inFlight.begin([account.key, ip.key]);
    let succeeded = false;
    unit.atEnd.push(() => settle(succeeded));
    const { user } = attempt;
    // What is stored for this login goes back to the credentials as they were before the password was checked.
    if (user) unit.users.set(user.id, user);
    const isActive = user !== undefined && !user.isDisabled;
    const isRight = await this.verify(isActive ? attempt.passwordHash : undefined, password, [account, ip]);
    if (!user || !isActive || !isRight) {
      await this.audit.record({ event: 'login.failed', userId: user?.id, details: { via } });
      return { kind: 'refused' };
    }
    succeeded = true;
    // The rightful user starts afresh; for the address only this attempt is taken back.
    unit.clearedAttempts.push(account.key);
    unit.refundedAttempts.push(ip.key);
    await this.audit.record({ event: 'login.succeeded', userId: user.id, details: { via } });
    return { kind: 'ok', user };
  }

  /** Counts the attempt, once those in flight have left room for it; not allowed: failures alone fill a window. */
  private async take(limits: [AttemptLimit, AttemptLimit], emailKey: string | undefined) {
    const deadline = Date.now() + waitMsMax;
    for (;;) {
      const attempt = await this.attempts.takeWithUser(limits, emailKey);
      if (attempt.allowed) return attempt;
      const settled = this.inFlight.untilOneSettles(limits.map(({ key }) => key));
      if (settled === undefined) return attempt;
      if (this.inFlight.waiting > this.config.PASSWORD_HASHES_WAITING || Date.now() > deadline) throw tooManyLogins();
      await settled;
    }
  }

  /** An attempt that was not judged is no failure. */
  private async verify(passwordHash: string | undefined, password: string, limits: AttemptLimit[]): Promise<boolean> {
    try {
      return await this.hashing.verify(passwordHash, password);
    } catch (error) {
      await this.attempts.giveBack(limits);
      throw error;
    }
  }

  private limits(account: string, ip: string | undefined): [AttemptLimit, AttemptLimit] {
    const windowSeconds = this.config.LOGIN_WINDOW_SECONDS;
    // Hashed: the table shall not become a list of addresses that somebody typed.
    const accountHash = createHash('sha256').update(account).digest('base64url');
    return [
      { key: `login account ${accountHash}`, limit: this.config.LOGIN_FAILURES_PER_ACCOUNT, windowSeconds },
      { key: `login ip ${ip}`, limit: this.config.LOGIN_FAILURES_PER_IP, windowSeconds },
    ];
  }
}
