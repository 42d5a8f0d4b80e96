import type { components } from '../api/identity.generated';

export type User = components['schemas']['UserDto'];
export type Role = User['role'];

export const roles = ['USER', 'ANALYST', 'ADMIN'] as const satisfies readonly Role[];
