// How a run looks to the outside: in answers of the API and in webhooks.
import type { Run } from './run.types.js';

const userId = 'simulatedUser0001';

/** A run as the API shows it. */
export function runBody(run: Run) {
  const runTimeSecs = ((run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime()) / 1000;
  return {
    id: run.id,
    actId: run.actorId,
    userId,
    actorTaskId: null,
    startedAt: run.startedAt.toISOString(),
    finishedAt: run.finishedAt?.toISOString() ?? null,
    status: run.status,
    statusMessage: run.statusMessage,
    isStatusMessageTerminal: run.finishedAt === null ? null : true,
    meta: { origin: 'API', clientIp: '127.0.0.1', userAgent: 'ApifyClient' },
    stats: { inputBodyLen: 0, restartCount: 0, resurrectCount: 0, runTimeSecs, computeUnits: runTimeSecs / 3600 / 4 },
    options: { build: 'latest', timeoutSecs: 3600, memoryMbytes: 256, diskMbytes: 512, ...run.limits },
    buildId: run.buildId,
    buildNumber: '0.0.1',
    exitCode: run.status === 'SUCCEEDED' ? 0 : run.status === 'FAILED' ? 1 : null,
    defaultKeyValueStoreId: run.inputStoreId,
    defaultDatasetId: run.datasetId,
    defaultRequestQueueId: run.requestQueueId,
    containerUrl: `https://${run.id}.runs.example`,
    usageTotalUsd: run.costUsd,
    generalAccess: 'FOLLOW_USER_SETTING',
  };
}

/** The payload of a webhook: the platform's default, or the template with its values filled in. */
export function payloadOf(run: Run, eventType: string, template: string | undefined): string {
  const values: Record<string, unknown> = {
    userId,
    createdAt: new Date().toISOString(),
    eventType,
    eventData: { actorId: run.actorId, actorRunId: run.id },
    resource: runBody(run),
  };
  if (template === undefined) return JSON.stringify(values);
  return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], values);
    return JSON.stringify(value ?? null);
  });
}

/** Headers of a webhook's template. One that is no JSON object yields none, as on the real platform. */
export function headersOf(template: string | undefined): Record<string, string> {
  if (template === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(template);
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name.toLowerCase(), String(value)]));
  } catch {
    return {};
  }
}
