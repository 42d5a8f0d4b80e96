// What the data API does in addition to answering, as a good engineer adds it to Mercurius in a day. The API key is
// read by its hash and kept for 5 s. One statement takes a unit of the user's day before the page is read. Each request
// has one row of the audit log, which nobody waits for. A data query takes no unit of the minute in the data API
// either.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pg from 'pg';

const keptMs = 5000;
const callsPerDay = 1_000_000_000;

interface ApiKey {
  id: string;
  prefix: string;
  user_id: string;
}

// As in the gateway, counters and audit log do not wait for the disk at commit.
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  options: '-c search_path=graphql_gateway -c synchronous_commit=off',
  max: 10,
});
const kept = new Map<string, { key: ApiKey | undefined; readAt: number }>();
const callers = new WeakMap<FastifyRequest, ApiKey>();

export async function addDuties(server: FastifyInstance): Promise<void> {
  await pool.query("select make_api_key_audit_month(date_trunc('month', now() at time zone 'utc')::date)");
  server.addHook('preHandler', async (request, reply) => {
    if (request.url !== '/graphql') return undefined;
    const key = await keyOf(request.headers.authorization?.slice('Bearer '.length) ?? '');
    if (!key) return reply.code(401).send({ message: 'Invalid API key', error: 'Unauthorized', statusCode: 401 });
    callers.set(request, key);
    const used = await takeUnit(key.user_id);
    if (used === undefined)
      return reply.code(429).send({ message: 'The limit is reached', error: 'Too Many Requests', statusCode: 429 });
    void reply.headers({ 'x-ratelimit-limit': callsPerDay, 'x-ratelimit-remaining': callsPerDay - used });
    return undefined;
  });
  server.addHook('onResponse', async (request, reply) => {
    const key = callers.get(request);
    if (!key) return;
    record(key, request.ip, reply.statusCode).catch((error: unknown) => console.error(error));
  });
}

async function keyOf(presented: string): Promise<ApiKey | undefined> {
  const hash = createHash('sha256').update(presented).digest();
  const name = hash.toString('base64');
  const known = kept.get(name);
  if (known && Date.now() - known.readAt < keptMs) return known.key;
  const { rows } = await pool.query<ApiKey>({
    name: 'key',
    text: `select id, prefix, user_id from api_key
            where key_hash = $1 and revoked_at is null and expires_at > now()`,
    values: [hash],
  });
  kept.set(name, { key: rows[0], readAt: Date.now() });
  return rows[0];
}

/** The units of the day after this one; undefined when there is none left. */
async function takeUnit(userId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ used: number }>({
    name: 'take',
    text: `insert into daily_quota as q (user_id, day, used) values ($1, (now() at time zone 'utc')::date, 1)
           on conflict (user_id, day) do update set used = q.used + 1 where q.used < $2 returning used`,
    values: [userId, callsPerDay],
  });
  return rows[0]?.used;
}

async function record(key: ApiKey, ip: string, status: number): Promise<void> {
  await pool.query({
    name: 'audit',
    text: `insert into api_key_audit (at, outcome, key_id, key_prefix, user_id, ip, occurrences)
           values (now(), $1, $2, $3, $4, $5, 1)`,
    values: [status === 429 ? 'rate_limited' : 'used', key.id, key.prefix, key.user_id, ip],
  });
}
