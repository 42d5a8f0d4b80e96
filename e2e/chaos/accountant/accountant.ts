// Compares what callers were told with what is stored and with what the provider was asked for. It shares no code with
// the services or the load, except the types of the log.
import type { Evidence } from './evidence/evidence.types.js';
import type { Rule } from './evidence/rule.types.js';
import { abortsHold } from './rules/aborts-hold.js';
import { answersAreExpected } from './rules/answers-are-expected.js';
import { answersHaveCauses } from './rules/answers-have-causes.js';
import { answersLeakNothing } from './rules/answers-leak-nothing.js';
import { auditLogAgrees } from './rules/audit-log-agrees.js';
import { clientsAreKept } from './rules/clients-are-kept.js';
import { costsAgree } from './rules/costs-agree.js';
import { countersAgree } from './rules/counters-agree.js';
import { endedAccessIsRefused } from './rules/ended-access-is-refused.js';
import { errorsHaveCauses } from './rules/errors-have-causes.js';
import { grantsAgree } from './rules/grants-agree.js';
import { identityAuditAgrees } from './rules/identity-audit-agrees.js';
import { itemsAreStoredOnce } from './rules/items-are-stored-once.js';
import { jobsAreKept } from './rules/jobs-are-kept.js';
import { keysAreKept } from './rules/keys-are-kept.js';
import { limitsHold } from './rules/limits-hold.js';
import { limitsRefuseInTime } from './rules/limits-refuse-in-time.js';
import { logsHoldNoSecret } from './rules/logs-hold-no-secret.js';
import { monthsAreKept } from './rules/months-are-kept.js';
import { nobodyDies } from './rules/nobody-dies.js';
import { nothingIsLeft } from './rules/nothing-is-left.js';
import { profilesAreBoughtOnce } from './rules/profiles-are-bought-once.js';
import { profilesAreStoredOnce } from './rules/profiles-are-stored-once.js';
import { profilesAreStoredWhole } from './rules/profiles-are-stored-whole.js';
import { readyInTime } from './rules/ready-in-time.js';
import { retriesAgree } from './rules/retries-agree.js';
import { runsAreBoughtOnce } from './rules/runs-are-bought-once.js';
import { runsEndAlike } from './rules/runs-end-alike.js';
import { stopsInTime } from './rules/stops-in-time.js';
import { tokensAreKept } from './rules/tokens-are-kept.js';
import { tokensWorkOnce } from './rules/tokens-work-once.js';

export const allRules: readonly Rule[] = [
  answersHaveCauses,
  errorsHaveCauses,
  answersAreExpected,
  answersLeakNothing,
  readyInTime,
  stopsInTime,
  nobodyDies,
  jobsAreKept,
  runsAreBoughtOnce,
  runsEndAlike,
  itemsAreStoredOnce,
  abortsHold,
  costsAgree,
  monthsAreKept,
  retriesAgree,
  profilesAreBoughtOnce,
  profilesAreStoredOnce,
  profilesAreStoredWhole,
  nothingIsLeft,
  tokensWorkOnce,
  tokensAreKept,
  grantsAgree,
  clientsAreKept,
  keysAreKept,
  endedAccessIsRefused,
  limitsHold,
  limitsRefuseInTime,
  countersAgree,
  auditLogAgrees,
  identityAuditAgrees,
  logsHoldNoSecret,
];

export interface RuleResult {
  rule: string;
  findings: string[];
}

export function account(evidence: Evidence): RuleResult[] {
  return allRules.map((rule) => ({ rule: rule.name, findings: rule.check(evidence) }));
}
