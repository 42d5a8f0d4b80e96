/** Roles of a user in the platform, the values of the claim and field `userRole`. */
export const userRoles = ['USER', 'ANALYST', 'ADMIN'] as const;
export type UserRole = (typeof userRoles)[number];
