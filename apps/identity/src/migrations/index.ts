import type { Migration } from '@tradewind/service-kit';
import { identityTables } from './0001-identity.js';
import { mergedSessions } from './0002-merged-sessions.js';
import { credentialsVersion } from './0003-credentials-version.js';
import { clientResources } from './0004-client-resources.js';
import { companiesAndCredentialChanges } from './0005-companies-and-credential-changes.js';

/** In the order of their numbers. */
export const migrations: readonly Migration[] = [
  identityTables,
  mergedSessions,
  credentialsVersion,
  clientResources,
  companiesAndCredentialChanges,
];
