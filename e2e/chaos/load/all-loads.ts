import { accountPages } from './account-pages.js';
import { aborts } from './aborts.js';
import { apiKeys } from './api-keys.js';
import { dataCalls } from './data-calls.js';
import { disableUser } from './disable-user.js';
import { useEnded } from './ended-access.js';
import { jobs } from './jobs.js';
import type { LoadKind } from './load.types.js';
import { monthlyRun } from './monthly-run.js';
import { registrations } from './registrations.js';
import { revokeKey } from './revoke-key.js';
import { sessions } from './sessions.js';
import { wrongPasswords } from './wrong-passwords.js';

/** Every kind of load, with how often it is drawn. Those with operator commands are rare: each starts a process. */
export const allLoads: readonly { kind: LoadKind; weight: number }[] = [
  { kind: sessions, weight: 32 },
  { kind: registrations, weight: 16 },
  { kind: wrongPasswords, weight: 8 },
  { kind: apiKeys, weight: 16 },
  { kind: dataCalls, weight: 64 },
  { kind: jobs, weight: 48 },
  { kind: aborts, weight: 16 },
  { kind: monthlyRun, weight: 8 },
  { kind: revokeKey, weight: 1 },
  { kind: disableUser, weight: 1 },
  { kind: accountPages, weight: 2 },
  { kind: useEnded, weight: 12 },
];
