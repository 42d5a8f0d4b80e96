import { Injectable } from '@nestjs/common';
import type { UserRole } from '@tradewind/shared-types';
import { PreparedStatements, type Statement } from '../prepared-statements.js';
import { BatchedLookup } from '../batched-lookup.js';
import { withCredentialChange } from './credential-changes.store.js';
import {
  userColumns,
  userFromRow,
  userRecordColumns,
  userRecordFromRow,
  type User,
  type UserRecord,
  type UserRow,
} from './users.types.js';

export interface NewUser {
  email: string;
  emailVerified: boolean;
  userRole: UserRole;
  passwordHash: string;
  name: string | null;
  givenName: string | null;
  familyName: string | null;
  preferredUsername: string | null;
  companyId: string | null;
}

const findById: Statement = {
  name: 'user_find',
  text: `select ${userColumns('u')} from user_account u where u.id = any($1::uuid[])`,
};
const findByEmail: Statement = {
  name: 'user_find_by_email',
  text: `select ${userRecordColumns('u')} from user_account u where u.email_key = $1`,
};
const insert: Statement = {
  name: 'user_insert',
  text: `insert into user_account as u
           (email, email_key, email_verified, role, password_hash, name, given_name, family_name, preferred_username,
            company_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (email_key) do nothing returning ${userRecordColumns('u')}`,
};
const list: Statement = {
  name: 'user_list',
  text: `select ${userRecordColumns('u')} from user_account u order by u.created_at, u.id`,
};
// Every statement that ends credentials makes a new version. Those that end the user's API keys as well tell the other
// services about it, in the same transaction.
const setPassword: Statement = {
  name: 'user_set_password',
  text: withCredentialChange(`
    update user_account
       set password_hash = $2, credentials_changed_at = now(), credentials_version = credentials_version + 1
     where id = $1 returning id, credentials_version`),
};
const setRole: Statement = {
  name: 'user_set_role',
  text: `update user_account
            set role = $2, credentials_changed_at = now(), credentials_version = credentials_version + 1
          where id = $1`,
};
const setCompany: Statement = {
  name: 'user_set_company',
  text: `update user_account
            set company_id = $2, credentials_changed_at = now(), credentials_version = credentials_version + 1
          where id = $1`,
};
const disable: Statement = {
  name: 'user_disable',
  text: withCredentialChange(`
    update user_account
       set disabled_at = coalesce(disabled_at, now()), credentials_changed_at = now(),
           credentials_version = credentials_version + 1
     where id = $1 returning id, credentials_version`),
};
const remove: Statement = {
  name: 'user_delete',
  text: withCredentialChange(
    'delete from user_account where id = $1 returning id, credentials_version + 1 as credentials_version',
  ),
};
const enable: Statement = { name: 'user_enable', text: 'update user_account set disabled_at = null where id = $1' };

@Injectable()
export class UsersStore {
  private readonly byId: BatchedLookup<User>;

  constructor(private readonly statements: PreparedStatements) {
    this.byId = new BatchedLookup(async (ids) => {
      const { rows } = await this.statements.run<UserRow>(findById, [ids]);
      return new Map(rows.flatMap((row) => userFromRow(row) ?? []).map((user) => [user.id, user]));
    });
  }

  async findById(id: string): Promise<User | undefined> {
    return this.byId.find(id);
  }

  async findByEmailKey(emailKey: string): Promise<UserRecord | undefined> {
    return this.one(findByEmail, [emailKey]);
  }

  /** Undefined when the address is taken. */
  async insert(user: NewUser, emailKey: string): Promise<UserRecord | undefined> {
    return this.one(insert, [
      user.email,
      emailKey,
      user.emailVerified,
      user.userRole,
      user.passwordHash,
      user.name,
      user.givenName,
      user.familyName,
      user.preferredUsername,
      user.companyId,
    ]);
  }

  async list(): Promise<UserRecord[]> {
    const { rows } = await this.statements.run<UserRow>(list, []);
    return rows.map(userRecordFromRow);
  }

  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.statements.run(setPassword, [id, passwordHash]);
  }

  async setRole(id: string, userRole: UserRole): Promise<void> {
    await this.statements.run(setRole, [id, userRole]);
  }

  async setCompany(id: string, companyId: string | null): Promise<void> {
    await this.statements.run(setCompany, [id, companyId]);
  }

  async disable(id: string): Promise<void> {
    await this.statements.run(disable, [id]);
  }

  async enable(id: string): Promise<void> {
    await this.statements.run(enable, [id]);
  }

  async delete(id: string): Promise<void> {
    await this.statements.run(remove, [id]);
  }

  private async one(statement: Statement, values: unknown[]): Promise<UserRecord | undefined> {
    const { rows } = await this.statements.run<UserRow>(statement, values);
    return rows[0] && userRecordFromRow(rows[0]);
  }
}
