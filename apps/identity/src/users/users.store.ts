import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
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
>;

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
