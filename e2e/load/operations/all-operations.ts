import { dataQuery } from './graphql-gateway.js';
import { login, refresh, userInfo } from './identity.js';
import { completionWebhook, jobStatus, startJob } from './interactions.js';
import type { LoadOperation } from './operation.types.js';
import { batchPush, monthReport, profileWebhook } from './priority-pipeline.js';

/** In the order of a run. The provider's work for jobs and batches goes on after them, so they come last. */
export const allOperations: readonly LoadOperation[] = [
  userInfo,
  refresh,
  login,
  dataQuery,
  jobStatus,
  completionWebhook,
  profileWebhook,
  monthReport,
  startJob,
  batchPush,
];
