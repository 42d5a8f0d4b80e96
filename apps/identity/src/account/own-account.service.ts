// What people do to their own account. Each change and its audit event are one transaction.
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { accountClientId } from '../oidc/account-client.js';
import { LogoutCalls } from '../oidc/logout-calls.js';
import { storedId } from '../oidc/payloads/payload-adapter.js';
import {
  UserPayloadsStore,
  type Page,
  type UserApplication,
  type UserSession,
} from '../oidc/payloads/user-payloads.store.js';
import { sessionReference } from '../oidc/session-reference.js';
import { PasswordHashing } from '../password-login/password-hashing.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';

@Injectable()
export class OwnAccount {
  private readonly passwordChanges = new Map<string, Promise<unknown>>();

  constructor(
    private readonly config: AppConfig,
    private readonly users: UsersStore,
    private readonly payloads: UserPayloadsStore,
    private readonly hashing: PasswordHashing,
    private readonly audit: AuditLog,
    private readonly logoutCalls: LogoutCalls,
  ) {}

  listSessions({ id }: User, page: Page): Promise<UserSession[]> {
    return this.payloads.listSessions(id, page);
  }

  /** Without the account pages themselves. */
  listApplications({ id }: User, page: Page): Promise<UserApplication[]> {
    return this.payloads.listApplications(id, accountClientId, page);
  }

  /** Notes that the session is used from here. */
  async noteUse(sessionUid: string): Promise<void> {
    const { ip, browser } = unitOfWork();
    await this.payloads.useSession(sessionUid, ip, browser);
  }

  /**
   * Runs one change of a user's password at a time in this process, with the user as read at its turn. Each costs two
   * hashes, and without turns one user could make everybody wait.
   */
  async inTurn<T>(userId: string, change: (user: User | undefined) => Promise<T>): Promise<T> {
    for (let other = this.passwordChanges.get(userId); other; other = this.passwordChanges.get(userId)) {
      // Whoever made it has its error.
      await other.catch(() => undefined);
    }
    const made = this.users.findById(userId).then(change);
    this.passwordChanges.set(userId, made);
    return made.finally(() => this.passwordChanges.delete(userId));
  }

  /**
   * Sets a password after the old one was checked, and ends everything but this session. That one has a new handle from
   * then on, so that a copy of its cookie ends, too. Undefined when the credentials have changed since `user` was read:
   * then nothing is done.
   */
  async setPassword(user: User, sessionUid: string, password: string): Promise<string | undefined> {
    const passwordHash = await this.hashing.hash(password);
    const handle = randomBytes(32).toString('base64url');
    const isSet = await this.change(async (tx) => {
      const current = await this.users.lockById(tx, user.id);
      if (current?.credentialsVersion !== user.credentialsVersion || current.isDisabled) return undefined;
      await this.users.setPassword(tx, user.id, passwordHash);
      const kept = { uid: sessionUid, newId: storedId('Session', handle) };
      const ended = await this.payloads.endEverything(tx, user.id, kept);
      return { event: 'user.password_set', userId: user.id, details: { by: user.id, via: 'page', ended } };
    });
    return isSet ? handle : undefined;
  }

  /** Ends one session as signing out there does. False when the user has no such session. */
  async endSession({ id }: User, uid: string, via: 'page' | 'sign_out'): Promise<boolean> {
    return this.change(async (tx) => {
      const ended = await this.payloads.endSession(tx, id, uid, this.config.SESSION_TTL_SECONDS);
      if (ended === undefined) return undefined;
      const signedInAt = ended.loginTs === null ? undefined : new Date(ended.loginTs * 1000).toISOString();
      const details = { by: id, via, session: sessionReference(uid), signed_in_at: signedInAt };
      return { event: 'session.ended', userId: id, details };
    });
  }

  /**
   * Ends every session, the access of every application and every direct login. API keys stay. False when somebody else
   * has ended all of it since `user` was read.
   */
  async endAll({ id, credentialsVersion }: User): Promise<boolean> {
    return this.change(async (tx) => {
      const current = await this.users.lockById(tx, id);
      if (current?.credentialsVersion !== credentialsVersion) return undefined;
      await this.users.endCredentials(tx, id);
      const ended = await this.payloads.endEverything(tx, id);
      return { event: 'user.signed_out_everywhere', userId: id, details: { by: id, via: 'page', ended } };
    });
  }

  /** Ends the access of an application. False when it has none. */
  async revoke({ id }: User, clientId: string): Promise<boolean> {
    return this.change(async (tx) => {
      const ended = await this.payloads.endApplication(tx, id, clientId);
      if (ended === 0) return undefined;
      return { event: 'application.revoked', userId: id, clientId, details: { by: id, via: 'page', ended } };
    });
  }

  private async change(make: Parameters<AuditLog['recordChange']>[0]): Promise<boolean> {
    const { ip } = unitOfWork();
    const isChanged = await this.audit.recordChange(async (tx) => {
      const event = await make(tx);
      return event && { ip, ...event };
    });
    if (isChanged) this.logoutCalls.wake();
    return isChanged;
  }
}
