// How a check talks to the simulator: faults, ledger, reset. No fault strikes here, and the ledger ignores it.
import type { FastifyInstance } from 'fastify';
import { parseFaults, type Faults } from './faults.js';
import type { Ledger } from './ledger.js';

export function registerControlApi(
  app: FastifyInstance,
  parts: {
    faults: Faults;
    ledger: Ledger;
    pendingWebhooks: () => number;
    reset: () => void;
  },
): void {
  const { faults, ledger, pendingWebhooks, reset } = parts;

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

  app.post('/reset', async () => {
    reset();
    return { status: 'reset' };
  });
}

function badRequest(problems: string[]) {
  return { message: problems, error: 'Bad Request', statusCode: 400 };
}
