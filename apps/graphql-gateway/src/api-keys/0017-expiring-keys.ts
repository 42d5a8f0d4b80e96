import type { Migration } from '@tradewind/service-kit';

/** Keys that expire soon are found among all that are in use. */
export const expiringKeys: Migration = {
  name: '0017-expiring-keys',
  up: `create index api_key_expiring on api_key (expires_at) where revoked_at is null;`,
};
