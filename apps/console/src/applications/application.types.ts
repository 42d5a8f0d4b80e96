import type { components } from '../api/identity.generated';

export type Application = components['schemas']['ClientDto'];

/** Resources of the platform. Others are named by OAUTH_RESOURCES of identity. */
export const platformResources = {
  'urn:tradewind:identity': 'identity: users, clients, audit',
  'urn:tradewind:data': 'the data API',
  'urn:tradewind:pipelines': 'jobs and months',
} as const satisfies Record<string, string>;
