import { aborts } from './aborts.js';
import { apiKeys } from './api-keys.js';
import { dataCalls } from './data-calls.js';
import { jobs } from './jobs.js';
import type { LoadKind } from './load.types.js';
import { monthlyRun } from './monthly-run.js';
import { registrations } from './registrations.js';
import { sessions } from './sessions.js';
import { wrongPasswords } from './wrong-passwords.js';

/** Every kind of load, with how often it is drawn. */
export const allLoads: readonly { kind: LoadKind; weight: number }[] = [
  { kind: sessions, weight: 4 },
  { kind: registrations, weight: 2 },
  { kind: wrongPasswords, weight: 1 },
  { kind: apiKeys, weight: 2 },
  { kind: dataCalls, weight: 8 },
  { kind: jobs, weight: 6 },
  { kind: aborts, weight: 2 },
  { kind: monthlyRun, weight: 1 },
];
