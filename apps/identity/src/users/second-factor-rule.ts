import type { AppConfig } from '../app.config.js';
import type { User } from './users.types.js';

/** Whether a password alone does not sign the user in. */
export const needsSecondFactor = (
  { hasSecondFactor, userRole }: Pick<User, 'hasSecondFactor' | 'userRole'>,
  { SECOND_FACTOR_FOR_ADMIN }: AppConfig,
): boolean => hasSecondFactor || (SECOND_FACTOR_FOR_ADMIN && userRole === 'ADMIN');
