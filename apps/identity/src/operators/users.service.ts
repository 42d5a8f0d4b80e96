import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  byOperator,
  pageOf,
  positionAfter,
  toCursor,
  timeAndText,
  timeAndUuid,
  type ChangeAuthor,
  type Tx,
} from '@tradewind/service-kit';
import { ServiceError, userRoles, type UserRole } from '@tradewind/shared-types';
import { AccountLinks } from '../account-links/account-links.service.js';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { LogoutCalls } from '../oidc/logout-calls.js';
import { UserPayloadsStore, type SessionOfList } from '../oidc/payloads/user-payloads.store.js';
import { sessionReference } from '../oidc/session-reference.js';
import { SecondFactors } from '../second-factor/second-factors.service.js';
import { languages } from '../pages/page-messages.js';
import { emailKey } from '../users/email-key.js';
import { PasswordHashing } from '../password-login/password-hashing.js';
import { passwordLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import { UsersStore, type ListedUser, type UserFilter } from '../users/users.store.js';
import type { UserAccount } from '../users/user-account.entity.js';

export interface CreateUser {
  email: string;
  password: string;
  role: string;
  name?: string | undefined;
  givenName?: string | undefined;
  familyName?: string | undefined;
  preferredUsername?: string | undefined;
  emailVerified: boolean;
  /** The company that the user belongs to; none unless given. */
  companyId?: string | undefined;
  /** Of mails; none is known unless given. */
  language?: string | undefined;
}

const companyIdLengthMax = 200;

/**
 * Which user: a command names the address, the administration API the id, and the company to which its caller is bound.
 * A user of another company does not exist for that caller.
 */
export type UserName = string | { id: string; companyId?: string | undefined };

export interface ListOptions {
  limit: number;
  cursor?: string | undefined;
}

/**
 * What operators and administrators do to users. Each change and its audit event, with its author, are one transaction;
 * what changes nothing makes no event.
 */
@Injectable()
export class Users {
  constructor(
    private readonly store: UsersStore,
    private readonly payloads: UserPayloadsStore,
    private readonly hashing: PasswordHashing,
    private readonly secondFactors: SecondFactors,
    private readonly links: AccountLinks,
    private readonly audit: AuditLog,
    private readonly config: AppConfig,
    private readonly logoutCalls: LogoutCalls,
  ) {}

  /**
   * Makes a user who sets the password with a link, which is mailed or, without mail, in the answer. Undefined when the
   * address is taken.
   * @param otherwise the language of the mail unless one is given
   */
  async invite(
    given: Omit<CreateUser, 'password' | 'emailVerified'>,
    author: ChangeAuthor = byOperator,
    otherwise = 'en',
  ): Promise<{ user: UserAccount; link: string | undefined } | undefined> {
    const { language = otherwise } = given;
    assertLanguage(language);
    // Nobody knows this one.
    const password = randomBytes(32).toString('base64url');
    let link: string | undefined;
    const user = await this.create({ ...given, password, emailVerified: false }, author, async (tx, made) => {
      link = await this.links.issue(tx, made, assertEmailKey(made.email), { kind: 'invitation', language });
    });
    return user && { user, link };
  }

  /**
   * A link with which the user sets another password, mailed or, without mail, in the answer. Nothing ends before.
   * The mail is in the language that is given, else in that of the user, else in `otherwise`.
   */
  async makePasswordLink(
    user: UserName,
    author: ChangeAuthor = byOperator,
    { language: given, otherwise = 'en' }: { language?: string | undefined; otherwise?: string } = {},
  ): Promise<{ user: UserAccount; link: string | undefined }> {
    if (given !== undefined) assertLanguage(given);
    let link: string | undefined;
    const changed = await this.change('user.password_link_made', user, author, async (tx, account) => {
      if (account.isDisabled) {
        throw new ServiceError({ code: 'request.conflict', status: 409, message: 'The user is disabled' });
      }
      const language = given ?? account.language ?? otherwise;
      link = await this.links.issue(tx, account, assertEmailKey(account.email), { kind: 'password', language });
      return { mailed: link === undefined };
    });
    return { user: changed, link };
  }

  /**
   * Undefined when the address is taken.
   * @param also runs in the transaction that makes the user
   */
  async create(
    given: CreateUser,
    author: ChangeAuthor = byOperator,
    also?: (tx: Tx, user: UserAccount) => Promise<void>,
  ): Promise<UserAccount | undefined> {
    const email = given.email.trim();
    const key = emailKey(email);
    if (key === undefined || !/^[^@\s]+@[^@\s]+$/.test(email)) throw invalid(`"${email}" is not an email address`);
    const account = {
      email,
      emailKey: key,
      emailVerified: given.emailVerified,
      userRole: assertRole(given.role),
      passwordHash: await this.hashing.hash(assertPassword(given.password)),
      name: given.name ?? (joined(given.givenName, given.familyName) || null),
      givenName: given.givenName ?? null,
      familyName: given.familyName ?? null,
      preferredUsername: given.preferredUsername ?? null,
      companyId: given.companyId === undefined ? null : assertCompany(given.companyId),
      language: given.language ?? null,
    };
    const details = { by: author.by, role: account.userRole, company: account.companyId };
    let user: UserAccount | undefined;
    await this.audit.recordChange(async (tx) => {
      user = await this.store.insert(tx, account);
      if (!user) return undefined;
      await also?.(tx, user);
      const event = also ? 'user.invited' : 'user.created';
      return { event, userId: user.id, ip: author.ip ?? undefined, details };
    });
    return user;
  }

  async list(): Promise<UserAccount[]> {
    return this.store.list();
  }

  async find(id: string, companyId?: string): Promise<ListedUser> {
    const user = await this.store.findListed(id, companyId);
    if (!user) throw notFound(id);
    return user;
  }

  async findByEmail(email: string): Promise<UserAccount> {
    const key = emailKey(email);
    const user = key === undefined ? undefined : await this.store.findByEmailKey(key);
    if (!user) throw notFound(email);
    return user;
  }

  /** Newest first; those with a beginning of their address, in the order of their addresses. */
  async page(
    { search, ...filter }: Omit<UserFilter, 'addressStart'> & { search?: string | undefined },
    { limit, cursor }: ListOptions,
  ): Promise<{ page: ListedUser[]; next_cursor: string | null }> {
    const { companyId = null, role = null } = filter;
    if (search === undefined) {
      const all = [companyId, role];
      const after = positionAfter(cursor, all, timeAndUuid);
      const rows = await this.store.listNewest(filter, { after, limit: limit + 1 });
      return pageOf(rows, limit, ({ micros, id }) => toCursor([micros, id], all));
    }
    const addressStart = emailKey(search);
    const all = [companyId, role, addressStart ?? null];
    const after = positionAfter(cursor, all, ([key, ...rest]) => keyOf(key, rest));
    // No address begins with a text that cannot be in one.
    if (addressStart === undefined) return { page: [], next_cursor: null };
    const rows = await this.store.listByAddress({ ...filter, addressStart }, { after, limit: limit + 1 });
    return pageOf(rows, limit, (last) => toCursor([last.emailKey], all));
  }

  /** Ends every session, token and API key of anybody who knew the old password. */
  async setPassword(user: UserName, password: string, author: ChangeAuthor = byOperator): Promise<void> {
    const hash = await this.hashing.hash(assertPassword(password));
    await this.change('user.password_set', user, author, async (tx, { id }) => {
      await this.store.setPassword(tx, id, hash);
      await this.payloads.endEverything(tx, id);
      return {};
    });
  }

  /** Ends every session and token, so that none keeps the previous role. API keys have no role. */
  async setRole(user: UserName, role: string, author: ChangeAuthor = byOperator): Promise<UserAccount> {
    const to = assertRole(role);
    return this.change('user.role_set', user, author, async (tx, account) => {
      const { id, userRole: from } = account;
      if (from === to) return undefined;
      await this.assertOtherAdministrators(tx, account, author);
      await this.store.setRole(tx, id, to);
      await this.payloads.endEverything(tx, id);
      return { from, to };
    });
  }

  /** Ends every session and token, so that none keeps the previous company. API keys have no company. */
  async setCompany(user: UserName, companyId: string | null, author: ChangeAuthor = byOperator): Promise<UserAccount> {
    const to = companyId === null ? null : assertCompany(companyId);
    return this.change('user.company_set', user, author, async (tx, account) => {
      const { id, companyId: from } = account;
      if (from === to) return undefined;
      await this.assertOtherAdministrators(tx, account, author);
      await this.store.setCompany(tx, id, to);
      await this.payloads.endEverything(tx, id);
      return { from, to };
    });
  }

  /** For whoever has lost it. Ends every session and token, which somebody else may have got with it. */
  async resetSecondFactor(user: UserName, author: ChangeAuthor = byOperator): Promise<UserAccount> {
    return this.change('user.second_factor_reset', user, author, async (tx, { id, hasSecondFactor }) => {
      if (!hasSecondFactor) return undefined;
      await this.secondFactors.reset(tx, id);
      await this.store.endCredentials(tx, id);
      return { ended: await this.payloads.endEverything(tx, id) };
    });
  }

  /** Ends every session, grant and token at once; API keys within seconds. */
  async disable(user: UserName, author: ChangeAuthor = byOperator): Promise<UserAccount> {
    return this.change('user.disabled', user, author, async (tx, account) => {
      if (account.isDisabled) return undefined;
      await this.assertOtherAdministrators(tx, account, author);
      await this.store.disable(tx, account.id);
      return { ended: await this.payloads.endEverything(tx, account.id) };
    });
  }

  async enable(user: UserName, author: ChangeAuthor = byOperator): Promise<UserAccount> {
    return this.change('user.enabled', user, author, async (tx, { id, isDisabled }) => {
      if (!isDisabled) return undefined;
      await this.store.enable(tx, id);
      return {};
    });
  }

  /** Ends everything that the user has, as `disable` does, and frees the address. Audit events remain. */
  async delete(user: UserName, author: ChangeAuthor = byOperator): Promise<void> {
    await this.change('user.deleted', user, author, async (tx, account) => {
      const { id, userRole: role } = account;
      await this.assertOtherAdministrators(tx, account, author);
      await this.store.delete(tx, id);
      return { role, ended: await this.payloads.endEverything(tx, id) };
    });
  }

  /** Those that last longest first. */
  async listSessions(
    user: { id: string; companyId?: string | undefined },
    { limit, cursor }: ListOptions,
  ): Promise<{ page: SessionOfList[]; next_cursor: string | null }> {
    await this.find(user.id, user.companyId);
    const after = positionAfter(cursor, user.id, timeAndText);
    const rows = await this.payloads.listSessionsAfter(user.id, { after, limit: limit + 1 });
    return pageOf(rows, limit, ({ micros, uid }) => toCursor([micros, uid], user.id));
  }

  /** Ends one session as signing out there does. */
  async endSession(user: UserName, uid: string, author: ChangeAuthor): Promise<void> {
    let isFound = false;
    await this.change('session.ended', user, author, async (tx, { id }) => {
      const ended = await this.payloads.endSession(tx, id, uid, this.config.SESSION_TTL_SECONDS);
      isFound = ended !== undefined;
      if (!ended) return undefined;
      const signedInAt = ended.loginTs === null ? undefined : new Date(ended.loginTs * 1000).toISOString();
      return { session: sessionReference(uid), signed_in_at: signedInAt };
    });
    if (!isFound) throw notFoundError('This user has no such session');
  }

  /** Ends every session, the access of every application and every direct login. API keys stay. */
  async endAllSessions(user: UserName, author: ChangeAuthor): Promise<void> {
    await this.change('user.signed_out_everywhere', user, author, async (tx, { id }) => {
      await this.store.endCredentials(tx, id);
      return { ended: await this.payloads.endEverything(tx, id) };
    });
  }

  /**
   * Somebody must be left who administers all companies. Not for commands: whoever has a shell makes another.
   * It is asked with the row of the user locked, so that of two administrators who disable each other one stays.
   */
  private async assertOtherAdministrators(tx: Tx, user: UserAccount, author: ChangeAuthor): Promise<void> {
    const { id, userRole, companyId, isDisabled } = user;
    if (author === byOperator || userRole !== 'ADMIN' || companyId !== null || isDisabled) return;
    if (await this.store.hasOtherAdministrators(tx, id)) return;
    throw new ServiceError({
      code: 'request.conflict',
      status: 409,
      message: 'This is the last ADMIN who is enabled and belongs to no company; make another one first',
    });
  }

  /**
   * @param act returns the details of the event, or undefined when it changed nothing
   * @returns the user afterwards, or as it was when it is deleted
   */
  private async change(
    event: string,
    name: UserName,
    author: ChangeAuthor,
    act: (tx: Tx, user: UserAccount) => Promise<Record<string, unknown> | undefined>,
  ): Promise<UserAccount> {
    let changed: UserAccount | undefined;
    const isChanged = await this.audit.recordChange(async (tx) => {
      const user = await this.lock(tx, name);
      const details = await act(tx, user);
      changed = (await this.store.lockById(tx, user.id)) ?? user;
      return details && { event, userId: user.id, ip: author.ip ?? undefined, details: { by: author.by, ...details } };
    });
    if (isChanged) this.logoutCalls.wake();
    return changed!;
  }

  private async lock(tx: Tx, name: UserName): Promise<UserAccount> {
    if (typeof name === 'string') {
      const key = emailKey(name);
      const user = key === undefined ? undefined : await this.store.lockByEmailKey(tx, key);
      if (!user) throw notFound(name);
      return user;
    }
    const user = await this.store.lockById(tx, name.id);
    if (!user || (name.companyId !== undefined && user.companyId !== name.companyId)) throw notFound(name.id);
    return user;
  }
}

function keyOf(key: unknown, rest: unknown[]): string | undefined {
  return typeof key === 'string' && rest.length === 0 && emailKey(key) !== undefined ? key : undefined;
}

const invalid = (message: string): ServiceError =>
  new ServiceError({ code: 'request.invalid', status: 400, message: [message] });

const notFoundError = (message: string): ServiceError =>
  new ServiceError({ code: 'request.not_found', status: 404, message });

const notFound = (name: string): ServiceError => notFoundError(`There is no user ${name}`);

function assertEmailKey(email: string): string {
  const key = emailKey(email);
  if (key === undefined) throw invalid(`"${email}" is not an email address`);
  return key;
}

function assertLanguage(text: string): void {
  const known = languages.map(({ language }) => language);
  if (!known.includes(text)) throw invalid(`"${text}" is not one of the languages ${known.join(', ')}`);
}

function assertRole(role: string): UserRole {
  const found = userRoles.find((one) => one === role);
  if (!found) throw invalid(`the role must be one of ${userRoles.join(', ')}`);
  return found;
}

/** The pipelines accept at most 200 characters as `user_company_id`. */
function assertCompany(companyId: string): string {
  if (companyId.trim() === '' || companyId.length > companyIdLengthMax || /[\p{Cc}\p{Cs}]/u.test(companyId)) {
    throw invalid(`the id of a company has 1 to ${companyIdLengthMax} characters, none of them a control character`);
  }
  return companyId;
}

function assertPassword(password: string): string {
  if (password.length < passwordLengthMin || password.length > passwordLengthMax) {
    throw invalid(`a password has ${passwordLengthMin} to ${passwordLengthMax} characters`);
  }
  return password;
}

const joined = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' ');
