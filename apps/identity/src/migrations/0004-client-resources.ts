import type { Migration } from '@tradewind/service-kit';

/** The resources that an operator allowed a client to ask tokens for. By default a client has none. */
export const clientResources: Migration = {
  name: '0004-client-resources',
  up: `alter table oauth_client add column resources text[] not null default '{}'`,
};
