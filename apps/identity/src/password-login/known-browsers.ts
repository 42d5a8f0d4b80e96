// Browsers that signed in to an account before. Their failed logins are counted separately, so that nobody who guesses
// passwords elsewhere can lock the owner out. A signed cookie names the browser and its accounts. A new password, or
// disabling the user, ends it.
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { cookieValue } from '../cookies.js';
import { Signatures } from '../signatures.js';
import type { User } from '../users/users.types.js';

/** Accounts that one browser is known for: enough for a family's computer. */
const accountsMax = 5;
/** Characters; far more than five accounts need. */
const cookieLengthMax = 1500;
const daySeconds = 86_400;

/** One account in the cookie. */
type Entry = [browserId: string, userId: string, credentialsVersion: number, signedInAtSeconds: number];

type Account = Pick<User, 'id' | 'credentialsVersion'>;

@Injectable()
export class KnownBrowsers {
  private readonly isSecure: boolean;
  private readonly cookieName: string;
  private readonly signatures: Signatures;

  constructor(private readonly config: AppConfig) {
    this.isSecure = config.OAUTH_ISSUER.startsWith('https:');
    // The prefix makes browsers refuse a cookie of this name from any other host and from plain http.
    this.cookieName = `${this.isSecure ? '__Host-' : ''}known_browser`;
    this.signatures = new Signatures(config.COOKIE_KEYS);
  }

  /** Whether the browser is known for any account; needs no query. */
  isKnown(cookieHeader: string | undefined): boolean {
    return this.entries(cookieHeader).length > 0;
  }

  /** The id under which the browser is known for this account. */
  find(cookieHeader: string | undefined, account: Account): string | undefined {
    return this.entries(cookieHeader).find(
      ([, userId, version]) => userId === account.id && version === account.credentialsVersion,
    )?.[0];
  }

  /** The `Set-Cookie` line after a login: this account first, and the others the browser is known for. */
  remember(cookieHeader: string | undefined, account: Account): string {
    const id = this.find(cookieHeader, account) ?? randomBytes(16).toString('base64url');
    const others = this.entries(cookieHeader).filter(([, userId]) => userId !== account.id);
    const entries: Entry[] = [
      [id, account.id, account.credentialsVersion, nowSeconds()],
      ...others.slice(0, accountsMax - 1),
    ];
    const content = Buffer.from(JSON.stringify(entries)).toString('base64url');
    const value = `${content}.${this.signatures.sign(signedText(content))}`;
    const maxAge = this.config.LOGIN_KNOWN_BROWSER_DAYS * daySeconds;
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.cookieName}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  }

  private entries(cookieHeader: string | undefined): Entry[] {
    const value = cookieValue(cookieHeader, this.cookieName);
    if (!value || value.length > cookieLengthMax) return [];
    const [content = '', given = ''] = value.split('.', 2);
    if (!this.signatures.verify(signedText(content), given)) return [];
    // Only `remember` writes a value with a valid signature.
    const entries = JSON.parse(Buffer.from(content, 'base64url').toString()) as Entry[];
    const oldest = nowSeconds() - this.config.LOGIN_KNOWN_BROWSER_DAYS * daySeconds;
    return entries.filter(([, , , signedInAt]) => signedInAt > oldest);
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const signedText = (content: string): string => JSON.stringify(['known browser', content]);
