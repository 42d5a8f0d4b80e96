// One-time links: an invitation, a forgotten password, and the confirmation of an address. Where mail is set they are
// sent by mail alone (mail-delivery.ts); otherwise whoever makes one sees it once.
import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clientNetwork, type Tx } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AuditLog, type ChangeRecord } from '../audit/audit-log.js';
import { LogoutCalls } from '../oidc/logout-calls.js';
import { UserPayloadsStore } from '../oidc/payloads/user-payloads.store.js';
import { accountPath } from '../pages/account-path.js';
import { PasswordHashing } from '../password-login/password-hashing.js';
import { AttemptsStore } from '../throttle/attempts.store.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import type { UserAccount } from '../users/user-account.entity.js';
import { UsersStore } from '../users/users.store.js';
import { AccountLinksStore, type AccountMail, type LinkKind, type StoredLink } from './account-links.store.js';
import { mailLimits, mailsWaitingMax } from './mail-limits.js';

/** A day: long enough for somebody who reads mail in the evening. */
export const linkLifeSeconds = 86_400;

/** Where each kind leads. */
const pathOf: Record<LinkKind, string> = {
  invitation: `${accountPath}/set-password`,
  password: `${accountPath}/set-password`,
  email: `${accountPath}/verify-email`,
};

const hashOf = (token: string): string => hash('sha256', token, 'base64url');

@Injectable()
export class AccountLinks {
  constructor(
    private readonly config: AppConfig,
    private readonly store: AccountLinksStore,
    private readonly users: UsersStore,
    private readonly payloads: UserPayloadsStore,
    private readonly hashing: PasswordHashing,
    private readonly attempts: AttemptsStore,
    private readonly audit: AuditLog,
    private readonly logoutCalls: LogoutCalls,
  ) {}

  get areMailed(): boolean {
    return this.config.SMTP_URL !== undefined;
  }

  /** In the transaction of its reason. Returns the link for whoever asked; undefined when it is mailed. */
  async issue(
    tx: Tx,
    user: Pick<UserAccount, 'id' | 'credentialsVersion'>,
    emailKey: string,
    { kind, language }: Pick<AccountMail, 'kind' | 'language'>,
  ): Promise<string | undefined> {
    if (!this.areMailed) return this.make(tx, user, kind, false);
    await this.enqueue({ kind, emailKey, language }, tx);
    return undefined;
  }

  /**
   * Asks for a mail to an address, whether or not it is somebody's: nothing is looked up, so the answer takes as long.
   * The limits count addresses, not accounts. Returns the seconds to wait when there were too many; 0 otherwise.
   */
  async request(mail: Pick<AccountMail, 'kind' | 'emailKey' | 'language'>): Promise<number> {
    const limits = mailLimits({ network: clientNetwork(unitOfWork().ip), emailKey: mail.emailKey });
    const { allowed, retryAfterSeconds } = await this.attempts.take(limits);
    if (!allowed) return retryAfterSeconds;
    await this.enqueue(mail);
    return 0;
  }

  /** A new link. Its token is in no table. */
  async make(
    tx: Tx,
    { id, credentialsVersion }: Pick<UserAccount, 'id' | 'credentialsVersion'>,
    kind: LinkKind,
    isMailed: boolean,
  ): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const link = { userId: id, kind, credentialsVersion, isMailed };
    await this.store.insertLink(tx, hashOf(token), link, linkLifeSeconds);
    // Only the issuer names the host, whatever the Host header of a request says.
    return `${this.config.OAUTH_ISSUER}${pathOf[kind]}?token=${token}`;
  }

  /** Whether the link can be used; changes nothing, because scanners of mails open links. */
  async isGood(token: string, kinds: readonly LinkKind[]): Promise<boolean> {
    const link = await this.store.findLink(hashOf(token));
    return link !== undefined && kinds.includes(link.kind) && (await this.isCurrent(link));
  }

  /** Sets a password and ends everything, as a change of the password does. False: the link is not good any more. */
  async setPassword(token: string, password: string): Promise<boolean> {
    if (!(await this.isGood(token, ['invitation', 'password']))) return false;
    const passwordHash = await this.hashing.hash(password);
    const isSet = await this.use(token, ['invitation', 'password'], async (tx, user, { kind, isMailed }) => {
      await this.users.setPassword(tx, user.id, passwordHash);
      if (isMailed) await this.users.setEmailVerified(tx, user.id);
      const ended = await this.payloads.endEverything(tx, user.id);
      return { event: 'user.password_set', details: { by: user.id, via: 'link', link: kind, mailed: isMailed, ended } };
    });
    if (isSet) this.logoutCalls.wake();
    return isSet;
  }

  async verifyEmail(token: string): Promise<boolean> {
    return this.use(token, ['email'], async (tx, { id }) => {
      await this.users.setEmailVerified(tx, id);
      return { event: 'user.email_verified', details: { by: id, via: 'link' } };
    });
  }

  /** Takes the link, and with a password every other link of the user. */
  private async use(
    token: string,
    kinds: readonly LinkKind[],
    act: (tx: Tx, user: UserAccount, link: StoredLink) => Promise<Pick<ChangeRecord, 'event' | 'details'>>,
  ): Promise<boolean> {
    const { ip } = unitOfWork();
    return this.audit.recordChange(async (tx) => {
      const link = await this.store.takeLink(tx, hashOf(token), kinds);
      if (!link) return undefined;
      const user = await this.users.lockById(tx, link.userId);
      if (!user || user.isDisabled || user.credentialsVersion !== link.credentialsVersion) return undefined;
      const made = await act(tx, user, link);
      if (link.kind !== 'email') await this.store.removeLinks(tx, user.id);
      return { ...made, userId: user.id, ip };
    });
  }

  /** A new password, and disabling the user, end links from before. */
  private async isCurrent({ userId, credentialsVersion }: StoredLink): Promise<boolean> {
    const user = await this.users.findById(userId);
    return user !== undefined && !user.isDisabled && user.credentialsVersion === credentialsVersion;
  }

  private async enqueue(mail: Pick<AccountMail, 'kind' | 'emailKey' | 'language'>, tx?: Tx): Promise<void> {
    if (await this.store.insertMail(mail, mailsWaitingMax, tx)) return;
    throw new ServiceError({
      code: 'dependency.unavailable',
      status: 503,
      message: 'Too many mails wait to be sent. Try again later.',
      retryable: true,
      retryAfterSeconds: 60,
    });
  }
}
