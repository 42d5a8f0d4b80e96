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

const columns: Record<keyof User, string> = {
  id: 'id',
  email: 'email',
  emailVerified: 'email_verified',
  userRole: 'role',
  name: 'name',
  givenName: 'given_name',
  familyName: 'family_name',
  preferredUsername: 'preferred_username',
  isDisabled: 'disabled_at is not null',
  credentialsVersion: 'credentials_version',
  companyId: 'company_id',
};

/** SQL for a `User` in one column; null when an outer join found none. */
export const userColumn = (alias: string): string => {
  const fields = Object.entries(columns).map(([name, column]) => `'${name}', ${alias}.${column}`);
  return `case when ${alias}.id is not null then json_build_object(${fields.join(', ')}) end`;
};
