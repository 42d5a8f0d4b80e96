import type { UserRole } from '@tradewind/shared-types';

/** A user as the rest of the service sees one: without the password hash. */
export interface User {
  /** UUID; the `sub` of every token. */
  id: string;
  email: string;
  emailVerified: boolean;
  userRole: UserRole;
  name: string | null;
  givenName: string | null;
  familyName: string | null;
  preferredUsername: string | null;
  isDisabled: boolean;
  /**
   * Grows with every new password, role and company, and when the user is disabled: what goes back to older credentials is
   * worth nothing.
   */
  credentialsVersion: number;
  /** The one company that the user belongs to; null: none. */
  companyId: string | null;
}

/** A user with what only operators and the direct login need. */
export interface UserRecord extends User {
  disabledAt: Date | null;
  createdAt: Date;
}

const profileColumns = [
  'id',
  'email',
  'email_verified',
  'role',
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'credentials_version',
  'company_id',
];
const recordColumns = [...profileColumns, 'disabled_at', 'created_at'];

/** The columns of a user for `userFromRow`. Moments are left out: reading them costs more than all the rest. */
export const userColumns = (alias: string, prefix = ''): string =>
  [
    ...profileColumns.map((column) => `${alias}.${column} as ${prefix}${column}`),
    `${alias}.disabled_at is not null as ${prefix}is_disabled`,
  ].join(', ');

/** The columns of a user for `userRecordFromRow`. */
export const userRecordColumns = (alias: string): string =>
  [...recordColumns.map((column) => `${alias}.${column}`), `${alias}.disabled_at is not null as is_disabled`].join(
    ', ',
  );

export type UserRow = Record<string, unknown>;

/** Reads a user from a row of `userColumns`; undefined when an outer join found none. */
export function userFromRow(row: UserRow, prefix = ''): User | undefined {
  const value = <T>(column: string): T => row[prefix + column] as T;
  if (value('id') === null || value('id') === undefined) return undefined;
  return {
    id: value('id'),
    email: value('email'),
    emailVerified: value('email_verified'),
    userRole: value('role'),
    name: value('name'),
    givenName: value('given_name'),
    familyName: value('family_name'),
    preferredUsername: value('preferred_username'),
    isDisabled: value('is_disabled'),
    credentialsVersion: value('credentials_version'),
    companyId: value('company_id'),
  };
}

/** Reads a user from a row of `userRecordColumns`. */
export function userRecordFromRow(row: UserRow): UserRecord {
  return {
    ...(userFromRow(row) as User),
    disabledAt: row['disabled_at'] as Date | null,
    createdAt: row['created_at'] as Date,
  };
}
