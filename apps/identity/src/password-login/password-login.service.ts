// Checks an email address and a password, for the login form and for POST /auth/login. Limits, work and answer are the
// same whether or not the account exists.
import { Injectable } from '@nestjs/common';
import { clientNetwork } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { emailKey } from '../users/email-key.js';
import { PasswordHashing } from './password-hashing.js';
import { needsSecondFactor } from '../users/second-factor-rule.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import type { Origin } from './fair-queue.js';
import { KnownBrowsers } from './known-browsers.js';
import { loginLimits } from './login-limits.js';
import { LoginThrottle } from './login-throttle.js';

export interface LoginAttempt {
  email: string;
  password: string;
  /** `password_change`: somebody who is signed in sets a new password. */
  via: 'form' | 'rest' | 'password_change';
  /** The Cookie header of a browser. */
  cookies?: string | undefined;
}

/** `second_factor`: the password is right, and signs nobody in without a second factor. */
export type LoginOutcome =
  { kind: 'ok' | 'second_factor'; user: User } | { kind: 'refused' } | { kind: 'throttled'; retryAfterSeconds: number };

@Injectable()
export class PasswordLogin {
  constructor(
    private readonly config: AppConfig,
    private readonly throttle: LoginThrottle,
    private readonly hashing: PasswordHashing,
    private readonly users: UsersStore,
    private readonly browsers: KnownBrowsers,
    private readonly audit: AuditLog,
  ) {}

  /** Runs in a unit of work: limits and audit rows are stored with the request's other writes. */
  async check({ email, password, via, cookies }: LoginAttempt): Promise<LoginOutcome> {
    const unit = unitOfWork();
    const key = emailKey(email);
    const network = clientNetwork(unit.ip);
    const browserId = await this.knownBrowser(cookies, key);
    const limits = loginLimits(this.config, { account: key ?? email, network, browserId });
    const attempt = await this.throttle.begin(limits, { via, emailKey: key });
    if (attempt.kind === 'throttled') return { kind: 'throttled', retryAfterSeconds: attempt.retryAfterSeconds };
    const { user } = attempt;
    // What this login stores has the version of the credentials from before the password was checked.
    if (user) unit.users.set(user.id, user);
    const isActive = user !== undefined && !user.isDisabled;
    const origin: Origin = { isKnown: browserId !== undefined, key: browserId ?? network };
    const isRight = await this.hashing
      .verify(isActive ? attempt.passwordHash : undefined, password, origin)
      .catch(async (error: unknown) => {
        // An attempt whose password was not checked is no failure.
        await attempt.giveBack();
        throw error;
      });
    if (!user || !isActive || !isRight) {
      this.audit.record({ event: 'login.failed', userId: user?.id, details: { via } });
      return { kind: 'refused' };
    }
    // Whoever changes a password is signed in already.
    const isComplete = via === 'password_change' || !needsSecondFactor(user, this.config);
    attempt.succeed(isComplete);
    if (!isComplete) {
      this.audit.record({ event: 'login.second_factor_needed', userId: user.id, details: { via } });
      return { kind: 'second_factor', user };
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
}
