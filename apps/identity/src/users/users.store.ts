import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type NamedStatement, type Tx, type ListPosition } from '@tradewind/service-kit';
import type { UserRole } from '@tradewind/shared-types';
import type { Repository } from 'typeorm';
import { batchedReads } from '../batched-reads.js';
import { withCredentialChange } from './credential-changes.store.js';
import { UserAccount } from './user-account.entity.js';
import { userColumn, type User } from './users.types.js';

export type NewUser = Pick<
  UserAccount,
  | 'email'
  | 'emailKey'
  | 'emailVerified'
  | 'userRole'
  | 'passwordHash'
  | 'name'
  | 'givenName'
  | 'familyName'
  | 'preferredUsername'
  | 'companyId'
  | 'language'
>;

/** Which users a list has. */
export interface UserFilter {
  /** How their address begins, as an email key. */
  addressStart?: string | undefined;
  companyId?: string | undefined;
  role?: UserRole | undefined;
}

/** A user as a list shows one. */
export type ListedUser = Omit<
  UserAccount,
  'emailKey' | 'passwordHash' | 'credentialsChangedAt' | 'isDisabled' | 'hasSecondFactor'
>;
type UserRow = ListedUser & { emailKey: string; micros: number };

const listedColumns = `u.id, u.email, u.email_verified as "emailVerified", u.role as "userRole", u.name,
  u.given_name as "givenName", u.family_name as "familyName", u.preferred_username as "preferredUsername",
  u.company_id as "companyId", u.credentials_version as "credentialsVersion", u.disabled_at as "disabledAt",
  u.second_factor_at as "secondFactorAt", u.language, u.created_at as "createdAt", u.email_key as "emailKey", ${microsOf('u.created_at')} as micros`;

const findById: NamedStatement = {
  name: 'user_find',
  text: `select ${userColumn('u')} as user from user_account u where u.id = any($1::uuid[])`,
};
// Every change that ends credentials makes a new version. Those that also end the user's API keys report it to the
// other services, in the same transaction.
const setPassword: NamedStatement = {
  name: 'user_set_password',
  text: withCredentialChange(`
    update user_account
       set password_hash = $2, credentials_changed_at = now(), credentials_version = credentials_version + 1
     where id = $1 returning id, credentials_version`),
};
const disable: NamedStatement = {
  name: 'user_disable',
  text: withCredentialChange(`
    update user_account
       set disabled_at = coalesce(disabled_at, now()), credentials_changed_at = now(),
           credentials_version = credentials_version + 1
     where id = $1 returning id, credentials_version`),
};
const remove: NamedStatement = {
  name: 'user_delete',
  text: withCredentialChange(
    'delete from user_account where id = $1 returning id, credentials_version + 1 as credentials_version',
  ),
};
const newVersion = {
  credentialsVersion: () => 'credentials_version + 1',
  credentialsChangedAt: () => 'now()',
};

@Injectable()
export class UsersStore {
  private readonly users: Repository<UserAccount>;
  private readonly byId = batchedReads<User>(async (ids) => {
    const rows = await this.db.rows<{ user: User }>(findById, [ids]);
    return new Map(rows.map(({ user }) => [user.id, user]));
  });

  constructor(private readonly db: Db) {
    this.users = db.repository(UserAccount);
  }

  async findById(id: string): Promise<User | undefined> {
    return this.byId.load(id);
  }

  async findByEmailKey(emailKey: string): Promise<UserAccount | undefined> {
    return (await this.users.findOneBy({ emailKey })) ?? undefined;
  }

  /** The user, whom no other transaction changes until this one ends. */
  async lockByEmailKey(tx: Tx, emailKey: string): Promise<UserAccount | undefined> {
    const lock = { mode: 'pessimistic_write' } as const;
    return (await tx.repository(UserAccount).findOne({ where: { emailKey }, lock })) ?? undefined;
  }

  /** The same, by id. */
  async lockById(tx: Tx, id: string): Promise<UserAccount | undefined> {
    const lock = { mode: 'pessimistic_write' } as const;
    return (await tx.repository(UserAccount).findOne({ where: { id }, lock })) ?? undefined;
  }

  /** Undefined when the address is taken. */
  async insert(tx: Tx, user: NewUser): Promise<UserAccount | undefined> {
    const inserted = await tx.repository(UserAccount).createQueryBuilder().insert().values(user).orIgnore().execute();
    return (inserted.raw as unknown[]).length === 0 ? undefined : this.lockByEmailKey(tx, user.emailKey);
  }

  /** The user of the id, if the company is theirs or none is given. */
  async findListed(id: string, companyId: string | undefined): Promise<ListedUser | undefined> {
    const company = companyId === undefined ? '' : 'and u.company_id = $2';
    const values = companyId === undefined ? [id] : [id, companyId];
    const [user] = await this.db.rows<UserRow>(
      `select ${listedColumns} from user_account u where u.id = $1 ${company}`,
      values,
    );
    return user;
  }

  /** Newest first. Each kind of list is read through an index in its order: user_account_newest, _role, _company. */
  async listNewest(
    { companyId, role }: UserFilter,
    { after, limit }: { after?: ListPosition | undefined; limit: number },
  ): Promise<UserRow[]> {
    const { where, bind, values } = conditionsOf({ companyId, role });
    if (after) where.push(`(u.created_at, u.id) < (${timeOf(bind(after.micros))}, ${bind(after.id)}::uuid)`);
    // The limit is part of the text, so that the planner knows that it is small.
    return this.db.rows<UserRow>(
      `select ${listedColumns} from user_account u where ${where.join(' and ')}
        order by u.created_at desc, u.id desc limit ${limit}`,
      values,
    );
  }

  /** Those whose address begins so, in the order of addresses, through user_account_address or _company_address. */
  async listByAddress(
    { addressStart = '', ...filter }: UserFilter,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<UserRow[]> {
    const { where, bind, values } = conditionsOf(filter);
    const key = 'u.email_key collate "C"';
    where.push(`${key} >= ${bind(addressStart)}`, `${key} < ${bind(`${addressStart}\u{10FFFF}`)}`);
    if (after !== undefined) where.push(`${key} > ${bind(after)}`);
    return this.db.rows<UserRow>(
      `select ${listedColumns} from user_account u where ${where.join(' and ')} order by ${key} limit ${limit}`,
      values,
    );
  }

  /**
   * Whether others than this user may administer all companies. The answer holds until the transaction ends, for
   * everybody who asks.
   */
  async hasOtherAdministrators(tx: Tx, id: string): Promise<boolean> {
    await tx.rows(`select pg_advisory_xact_lock(hashtext('tradewind identity administrators'))`);
    const others = await tx.rows(
      `select from user_account where role = 'ADMIN' and company_id is null and disabled_at is null and id <> $1 limit 1`,
      [id],
    );
    return others.length > 0;
  }

  async list(): Promise<UserAccount[]> {
    return this.users.find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.affected(setPassword, [id, passwordHash]);
  }

  async setRole(tx: Tx, id: string, userRole: UserRole): Promise<void> {
    await tx.repository(UserAccount).update(id, { userRole, ...newVersion });
  }

  /** Sessions, tokens and direct logins end; the password and API keys stay. */
  async endCredentials(tx: Tx, id: string): Promise<void> {
    await tx.repository(UserAccount).update(id, newVersion);
  }

  async setCompany(tx: Tx, id: string, companyId: string | null): Promise<void> {
    await tx.repository(UserAccount).update(id, { companyId, ...newVersion });
  }

  async setEmailVerified(tx: Tx, id: string): Promise<void> {
    await tx.repository(UserAccount).update(id, { emailVerified: true });
  }

  /** The language of later mails. It is no change that anybody has to know of. */
  async setLanguage(id: string, language: string): Promise<void> {
    await this.users.update(id, { language });
  }

  async setSecondFactor(tx: Tx, id: string, isThere: boolean): Promise<void> {
    await tx.repository(UserAccount).update(id, { secondFactorAt: isThere ? () => 'now()' : null });
  }

  async disable(tx: Tx, id: string): Promise<void> {
    await tx.affected(disable, [id]);
  }

  async enable(tx: Tx, id: string): Promise<void> {
    await tx.repository(UserAccount).update(id, { disabledAt: null });
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.affected(remove, [id]);
  }
}

function conditionsOf({ companyId, role }: UserFilter) {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const where = ['true'];
  if (companyId !== undefined) where.push(`u.company_id = ${bind(companyId)}`);
  // The role is part of the text, so that the planner knows that administrators are few. It is one of `userRoles`.
  if (role !== undefined) where.push(`u.role = '${role}'`);
  return { where, bind, values };
}
