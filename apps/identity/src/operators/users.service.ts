import { Injectable } from '@nestjs/common';
import { OperatorError, type Tx } from '@tradewind/service-kit';
import { userRoles, type UserRole } from '@tradewind/shared-types';
import { AuditLog } from '../audit/audit-log.js';
import { UserPayloadsStore } from '../oidc/payloads/user-payloads.store.js';
import { emailKey } from '../users/email-key.js';
import { PasswordHashing } from '../password-login/password-hashing.js';
import { passwordLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import { UsersStore } from '../users/users.store.js';
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
}

const companyIdLengthMax = 200;

/** What operators do to users. Messages are for the operator's terminal. */
@Injectable()
export class Users {
  constructor(
    private readonly store: UsersStore,
    private readonly payloads: UserPayloadsStore,
    private readonly hashing: PasswordHashing,
    private readonly audit: AuditLog,
  ) {}

  /** Undefined when the address is taken. */
  async create(given: CreateUser): Promise<UserAccount | undefined> {
    const email = given.email.trim();
    const key = emailKey(email);
    if (key === undefined || !/^[^@\s]+@[^@\s]+$/.test(email))
      throw new OperatorError(`"${email}" is not an email address`);
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
    };
    const details = { role: account.userRole, company: account.companyId };
    let user: UserAccount | undefined;
    await this.audit.recordChange(async (tx) => {
      user = await this.store.insert(tx, account);
      return user && { event: 'user.created', userId: user.id, details };
    });
    return user;
  }

  async list(): Promise<UserAccount[]> {
    return this.store.list();
  }

  /** Ends every session, token and API key of anybody who knew the old password. */
  async setPassword(email: string, password: string): Promise<void> {
    const hash = await this.hashing.hash(assertPassword(password));
    await this.change('user.password_set', email, async (tx, { id }) => {
      await this.store.setPassword(tx, id, hash);
      await this.payloads.endEverything(tx, id);
      return {};
    });
  }

  /** Ends every session and token, so that none keeps the previous role. API keys have no role. */
  async setRole(email: string, role: string): Promise<void> {
    await this.change('user.role_set', email, async (tx, { id, userRole: from }) => {
      await this.store.setRole(tx, id, assertRole(role));
      await this.payloads.endEverything(tx, id);
      return { from, to: role };
    });
  }

  /** Ends every session and token, so that none keeps the previous company. API keys have no company. */
  async setCompany(email: string, companyId: string | null): Promise<void> {
    await this.change('user.company_set', email, async (tx, { id, companyId: from }) => {
      await this.store.setCompany(tx, id, companyId === null ? null : assertCompany(companyId));
      await this.payloads.endEverything(tx, id);
      return { from, to: companyId };
    });
  }

  /** Ends every session, grant and token at once; API keys within seconds. */
  async disable(email: string): Promise<void> {
    await this.change('user.disabled', email, async (tx, { id }) => {
      await this.store.disable(tx, id);
      return { ended: await this.payloads.endEverything(tx, id) };
    });
  }

  async enable(email: string): Promise<void> {
    await this.change('user.enabled', email, async (tx, { id }) => {
      await this.store.enable(tx, id);
      return {};
    });
  }

  /** Ends everything that the user has, as `disable` does, and frees the address. Audit events remain. */
  async delete(email: string): Promise<void> {
    await this.change('user.deleted', email, async (tx, { id, userRole: role }) => {
      await this.store.delete(tx, id);
      return { role, ended: await this.payloads.endEverything(tx, id) };
    });
  }

  /** @param act returns the details of the event */
  private async change(
    event: string,
    email: string,
    act: (tx: Tx, user: UserAccount) => Promise<Record<string, unknown>>,
  ): Promise<void> {
    await this.audit.recordChange(async (tx) => {
      const key = emailKey(email);
      const user = key === undefined ? undefined : await this.store.lockByEmailKey(tx, key);
      if (!user) throw new OperatorError(`there is no user ${email}`);
      return { event, userId: user.id, details: await act(tx, user) };
    });
  }
}

function assertRole(role: string): UserRole {
  const found = userRoles.find((one) => one === role);
  if (!found) throw new OperatorError(`the role must be one of ${userRoles.join(', ')}`);
  return found;
}

/** The pipelines accept at most 200 characters as `user_company_id`. */
function assertCompany(companyId: string): string {
  if (companyId.trim() === '' || companyId.length > companyIdLengthMax || /[\p{Cc}\p{Cs}]/u.test(companyId)) {
    throw new OperatorError(
      `the id of a company has 1 to ${companyIdLengthMax} characters, none of them a control character`,
    );
  }
  return companyId;
}

function assertPassword(password: string): string {
  if (password.length < passwordLengthMin || password.length > passwordLengthMax) {
    throw new OperatorError(`a password has ${passwordLengthMin} to ${passwordLengthMax} characters`);
  }
  return password;
}

const joined = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' ');
