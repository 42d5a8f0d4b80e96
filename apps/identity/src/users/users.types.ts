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
   * Increases with every new password, role or company, and when the user is disabled. A session or token that was made
   * with an earlier version is worthless.
   */
  credentialsVersion: number;
  /** The one company that the user belongs to; null: none. */
  companyId: string | null;
}

const columns = [
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

/** The columns of a user for `userFromRow`. No timestamps: parsing them takes longer than all the rest. */
export const userColumns = (alias: string, prefix = ''): string =>
  [
    ...columns.map((column) => `${alias}.${column} as ${prefix}${column}`),
    `${alias}.disabled_at is not null as ${prefix}is_disabled`,
  ].join(', ');

/** Reads a user from a row of `userColumns`; undefined when an outer join found none. */
export function userFromRow(row: object, prefix = ''): User | undefined {
  const value = <T>(column: string): T => (row as Record<string, unknown>)[prefix + column] as T;
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
