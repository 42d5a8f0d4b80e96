// argon2id with the parameters OWASP recommends (19 MiB, 2 passes, 1 lane), computed on libuv's threads, so the event
// loop stays free. At most PASSWORD_HASHES_PARALLEL run at once: more would take the cores from everybody else.
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';

// The numeric value of Algorithm.Argon2id; the enum itself is a const enum, unreadable under isolated modules.
const argon2id = 2;
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

@Injectable()
export class PasswordHashing {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private dummy: Promise<string> | undefined;

  constructor(private readonly config: AppConfig) {}

  async hash(password: string): Promise<string> {
    return this.limited(() => hash(password.normalize('NFKC'), parameters));
  }

  /**
   * Whether the password is that of the hash. Without a hash (unknown or disabled account) the answer is false after
   * the same computation, so that time does not tell accounts apart.
   */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    this.dummy ??= hash('no account has this password', parameters);
    const compared = passwordHash ?? (await this.dummy);
    const matches = await this.limited(() => verify(compared, password.normalize('NFKC')));
    return matches && passwordHash !== undefined;
  }

  private async limited<T>(compute: () => Promise<T>): Promise<T> {
    if (this.running >= this.config.PASSWORD_HASHES_PARALLEL) {
      if (this.waiting.length >= this.config.PASSWORD_HASHES_WAITING) {
        throw tooManyLogins();
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      return await compute();
    } finally {
      // The place goes straight to the next in line, if there is one.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
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
