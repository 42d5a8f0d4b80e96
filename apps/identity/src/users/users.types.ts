import type { UserAccount } from './user-account.entity.js';

const columns = {
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
  hasSecondFactor: 'second_factor_at is not null',
  language: 'language',
};

/** A user as the rest of the service sees one. */
export type User = Pick<UserAccount, keyof typeof columns>;

/** SQL for a `User` in one column; null when an outer join found none. */
export const userColumn = (alias: string): string => {
  const fields = Object.entries(columns).map(([name, column]) => `'${name}', ${alias}.${column}`);
  return `case when ${alias}.id is not null then json_build_object(${fields.join(', ')}) end`;
};
