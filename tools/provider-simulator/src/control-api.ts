// How a check talks to the simulator: faults, ledger, settings, reset. No fault strikes here, and the ledger ignores
// it.
import type { FastifyInstance } from 'fastify';
import { parseFaults, type Faults } from './faults.js';
import type { Ledger } from './ledger.js';
import type { DurationRange, SimulatorSettings } from './settings.js';

export type AdjustableSettings = Pick<
  SimulatorSettings,
  | 'runDurationMs'
  | 'profileDurationMs'
  | 'abortDurationMs'
  | 'maxConcurrentRuns'
  | 'maxConcurrentProfiles'
  | 'webhookRetryDelaysMs'
  | 'webhookTimeoutMs'
  | 'oddItems'
>;

export function registerControlApi(
  app: FastifyInstance,
  parts: {
    settings: () => SimulatorSettings;
    adjust: (changes: Partial<AdjustableSettings>) => void;
    faults: Faults;
    ledger: Ledger;
    pendingWebhooks: () => number;
    reset: () => void;
  },
): void {
  const { settings, adjust, faults, ledger, pendingWebhooks, reset } = parts;

  app.get('/health', async () => ({ status: 'healthy', service: 'provider-simulator', environment: 'dev' }));

  app.get('/faults', async () => ({ faults: faults.list() }));
  app.put('/faults', async (request, reply) => {
    const parsed = parseFaults(request.body);
    if ('problems' in parsed) return reply.code(400).send(badRequest(parsed.problems));
    faults.replace(parsed.faults);
    return { faults: faults.list() };
  });
  app.post('/faults', async (request, reply) => {
    const parsed = parseFaults(request.body);
    if ('problems' in parsed) return reply.code(400).send(badRequest(parsed.problems));
    faults.add(parsed.faults);
    return { faults: faults.list() };
  });
  app.delete('/faults', async () => {
    faults.replace([]);
    return { faults: [] };
  });

  app.get<{ Querystring: Record<string, string | undefined> }>('/ledger', async (request, reply) => {
    const { operation, target, correlationId, id, outcome, effect, afterSeq, limit, ...unknown } = request.query;
    const problems = Object.keys(unknown).map((name) => `${name} is not a filter of the ledger`);
    for (const [name, value] of Object.entries({ afterSeq, limit })) {
      if (value !== undefined && !/^\d+$/.test(value)) problems.push(`${name} must be a whole number`);
    }
    if (effect !== undefined && effect !== 'true' && effect !== 'false') problems.push('effect must be true or false');
    if (problems.length > 0) return reply.code(400).send(badRequest(problems));
    return ledger.page({
      operation,
      target,
      correlationId,
      id,
      outcome,
      effect: effect === undefined ? undefined : effect === 'true',
      afterSeq: afterSeq === undefined ? undefined : Number(afterSeq),
      limit: limit === undefined ? undefined : Number(limit),
    });
  });
  app.get('/ledger/summary', async () => ({ ...ledger.summary(), pendingWebhooks: pendingWebhooks() }));

  app.get('/settings', async () => {
    const { token: _secret, ...shown } = settings();
    return shown;
  });
  app.put('/settings', async (request, reply) => {
    const parsed = parseAdjustments(request.body);
    if ('problems' in parsed) return reply.code(400).send(badRequest(parsed.problems));
    adjust(parsed.changes);
    const { token: _secret, ...shown } = settings();
    return shown;
  });

  app.post('/reset', async () => {
    reset();
    return { status: 'reset' };
  });
}

function badRequest(problems: string[]) {
  return { message: problems, error: 'Bad Request', statusCode: 400 };
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isRange = (value: unknown): value is DurationRange => {
  const { min, max } = (value ?? {}) as Partial<DurationRange>;
  return isCount(min) && isCount(max) && min <= max;
};
const adjustable: Record<keyof AdjustableSettings, { test: (value: unknown) => boolean; words: string }> = {
  runDurationMs: { test: isRange, words: '{min, max} in milliseconds' },
  profileDurationMs: { test: isRange, words: '{min, max} in milliseconds' },
  abortDurationMs: { test: isCount, words: 'milliseconds' },
  maxConcurrentRuns: { test: isCount, words: 'a whole number' },
  maxConcurrentProfiles: { test: isCount, words: 'a whole number' },
  webhookRetryDelaysMs: {
    test: (value) => Array.isArray(value) && value.every(isCount),
    words: 'a list of milliseconds',
  },
  webhookTimeoutMs: { test: isCount, words: 'milliseconds' },
  oddItems: { test: (value) => typeof value === 'boolean', words: 'true or false' },
};

function parseAdjustments(body: unknown): { changes: Partial<AdjustableSettings> } | { problems: string[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { problems: ['expected an object of settings'] };
  const problems: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(adjustable, name))
      problems.push(`${name} cannot be set; settable are ${Object.keys(adjustable).join(', ')}`);
    else if (!adjustable[name as keyof AdjustableSettings].test(value))
      problems.push(`${name} must be ${adjustable[name as keyof AdjustableSettings].words}`);
  }
  return problems.length > 0 ? { problems } : { changes: body };
}
