// Every kind of fault, with how often it is drawn.
import { cutConnections } from './cut-connections.js';
import type { FaultKind } from './fault.types.js';
import { freezePastLease } from './freeze-past-lease.js';
import { freezeService } from './freeze-service.js';
import { hangConnections } from './hang-connections.js';
import { killPostgres } from './kill-postgres.js';
import { killService } from './kill-service.js';
import { misbehavingProvider } from './misbehaving-provider.js';
import { objectStoreFull } from './object-store-full.js';
import { objectStoreUnwritable } from './object-store-unwritable.js';
import { rollingRestart } from './rolling-restart.js';
import { slowConnections } from './slow-connections.js';
import { stepClock } from './step-clock.js';

export const allFaults: readonly { kind: FaultKind; weight: number }[] = [
  { kind: killService, weight: 4 },
  { kind: killPostgres, weight: 2 },
  { kind: freezeService, weight: 2 },
  { kind: freezePastLease, weight: 1 },
  { kind: cutConnections, weight: 2 },
  { kind: hangConnections, weight: 2 },
  { kind: slowConnections, weight: 2 },
  { kind: objectStoreUnwritable, weight: 1 },
  { kind: objectStoreFull, weight: 1 },
  { kind: rollingRestart, weight: 1 },
  { kind: stepClock, weight: 2 },
  { kind: misbehavingProvider, weight: 3 },
];
