import type { Migration } from '@tradewind/service-kit';
import { identityTables } from './migrations/0001-identity.js';
import { mergedSessions } from './migrations/0002-merged-sessions.js';
import { credentialsVersion } from './migrations/0003-credentials-version.js';
import { clientResources } from './migrations/0004-client-resources.js';
import { companiesAndCredentialChanges } from './migrations/0005-companies-and-credential-changes.js';
import { sessionsAndGrantsOfUsers } from './migrations/0006-sessions-and-grants-of-users.js';
import { listsOfUsersAndClients } from './migrations/0007-lists-of-users-and-clients.js';
import { accountLinks } from './migrations/0009-account-links.js';
import { secondFactors } from './migrations/0008-second-factors.js';
import { listsOfGrantsAndAudit } from './migrations/0010-lists-of-grants-and-audit.js';
import { userLanguage } from './migrations/0011-user-language.js';

/** In the order of their numbers. */
export const migrations: readonly Migration[] = [
  identityTables,
  mergedSessions,
  credentialsVersion,
  clientResources,
  companiesAndCredentialChanges,
  sessionsAndGrantsOfUsers,
  listsOfUsersAndClients,
  secondFactors,
  accountLinks,
  listsOfGrantsAndAudit,
  userLanguage,
];
