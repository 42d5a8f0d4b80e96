// argon2id with the parameters that OWASP recommends (19 MiB, 2 passes, 1 lane), computed on libuv's threads, so the
// event loop stays free. At most PASSWORD_HASHES_PARALLEL run at once, because each takes a core. fair-queue.ts decides
// which is next.
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { passwordLengthMax } from '../users/credential-limits.js';
import { FairQueue, type Origin } from './fair-queue.js';

// The numeric value of Algorithm.Argon2id; the enum itself is a const enum, unreadable under isolated modules.
const argon2id = 2;
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Few people set passwords, and they need not wait for somebody's guesses. */
const newPasswords: Origin = { isKnown: true, key: 'new passwords' };

@Injectable()
export class PasswordHashing {
  private readonly queue: FairQueue;
  private dummy: Promise<string> | undefined;

  constructor(config: AppConfig) {
    this.queue = new FairQueue({
      parallel: config.PASSWORD_HASHES_PARALLEL,
      waitingMax: config.PASSWORD_HASHES_WAITING,
      refusal: tooManyLogins,
    });
  }

  async hash(password: string): Promise<string> {
    if (password.length > passwordLengthMax) throw new RangeError('the password is too long');
    return this.queue.run(newPasswords, () => hash(password.normalize('NFKC'), parameters));
  }

  /**
   * Whether the password matches the hash. Without a hash (unknown or disabled account) the answer is false after the
   * same computation, so that the time reveals no account. A text that is too long is nobody's password.
   */
  async verify(passwordHash: string | undefined, password: string, origin: Origin): Promise<boolean> {
    if (password.length > passwordLengthMax) return false;
    this.dummy ??= hash('no account has this password', parameters);
    const compared = passwordHash ?? (await this.dummy);
    const matches = await this.queue.run(origin, () => verify(compared, password.normalize('NFKC')));
    return matches && passwordHash !== undefined;
  }
}

export function tooManyLogins(): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'Too many logins at the moment. Try again shortly.',
    retryable: true,
    retryAfterSeconds: 5,
  });
}
