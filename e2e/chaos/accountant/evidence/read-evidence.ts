// Reads the evidence at the end of a run, with SQL of its own: the tables are the platform's, the queries are not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentSum, sumOfSums } from '@tradewind/provider-simulator';
import pg from 'pg';
import type { LogContent } from '../../log/log.types.js';
import type { Evidence, ProfileContent, RunItems } from './evidence.types.js';
import { groupBy } from './group-by.js';

export interface Sources {
  databaseUrl: string;
  objectsDir: string;
  log: LogContent;
  limits: Evidence['limits'];
  killedAtStop: string[];
  deaths: readonly string[];
  logs: Evidence['logs'];
  errorLines: Evidence['errorLines'];
}

const bucket = 'scraper-monthly-priority-people';
const itemTables = {
  posts: { table: 'network_posts', id: 'post_id' },
  comments: { table: 'network_post_comments', id: 'comment_id' },
  reactions: { table: 'network_post_reactions', id: 'reaction_id' },
} as const;

export async function readEvidence(sources: Sources): Promise<Evidence> {
  const { databaseUrl, objectsDir, log, limits, killedAtStop, deaths, logs, errorLines } = sources;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const rows = async <T extends object>(text: string) => (await database.query<T>(text)).rows;
  try {
    const items: RunItems[] = [];
    for (const table of ['posts', 'comments', 'reactions'] as const) items.push(...(await itemsOf(database, table)));
    return {
      ...{ answers: log.answers, told: log.told, faults: log.faults, ledger: log.ledger },
      ...{ limits, killedAtStop, deaths, logs, errorLines, items },
      tracker: await rows(
        `select user_company_id as company, "networkUsername" as target, status, provider_run_id as "runId",
                posts_count as posts, comments_count as comments, reactions_count as reactions,
                left_over_count as "leftOver"
           from interactions."network_interactions_trackerDev"`,
      ),
      leftOvers: await rows(
        `select provider_run_id as "runId", count(*)::int as rows from interactions."left_over_itemsDev" group by 1`,
      ),
      profileCalls: (
        await rows<{ username: string; status: string; body: unknown }>(
          `select "requestResource" as username, "requestStatus" as status, "responseData" as body
             from warehouse.scraped_profile_calls where "requestType" = 'SCRAPER_API_PERSON'`,
        )
      ).map(({ username, status, body }) => ({ username, status, content: profileContent(body) })),
      objects: readObjects(join(objectsDir, bucket)),
      people: (
        await rows<{ username: string }>(
          `select distinct "identifierValue" as username from warehouse.person_identifiers
             join warehouse.person_fields using (person_id)
            where "identifierType" = 'NETWORK' and "isPriority" and "identifierValue" is not null`,
        )
      ).map(({ username }) => username),
      monthRuns: await rows(
        `select month, state, published_profiles as profiles from coordinator.run where not dry_run`,
      ),
      companyCosts: await rows(
        `select user_company_id as company, sum(cost_micro_usd)::float8 as "microUsd"
           from interactions."company_costsDev" group by 1`,
      ),
      retries: await rows(
        `select month, coalesce(requests, 0)::int as requests, coalesce(profiles, 0)::int as profiles
           from (select month, count(*) as requests from coordinator.retry_request group by 1) asked
           full join (select month, count(*) as profiles from priority_api.profile_retry group by 1) started
           using (month)`,
      ),
      putAside: await rows(
        `select 'dead letter of priority-api' as where, reason from priority_api.dead_letter
         union all
         select 'dead letter of the queue', name || ': ' || state from queue.job
          where name in (select dead_letter from queue.queue where dead_letter is not null)
         union all
         select 'unusable payload of priority-webhook', reason from priority_webhook.unusable_payload
         union all
         select 'webhook of interactions', coalesce(outcome, 'not processed')
           from interactions."webhook_inboxDev" where processed_at is null`,
      ),
      clients: await rows(
        `select client_id as "clientId", metadata::json ->> 'client_name' as name from identity.oauth_client
          where origin = 'registration'`,
      ),
      unusedTokens: await rows(
        `select grant_id as grant, email as user, count(*)::int as count
           from identity.oidc_payload join identity.user_account on account_id = user_account.id
          where model = 'RefreshToken' and consumed_at is null and expires_at > now() group by grant_id, email`,
      ),
      identityEvents: await rows(
        `select event, count(*)::int as count from identity.audit_event
          where event <> 'login.failed' or user_id is null group by event`,
      ),
      keys: await rows(
        `select encode(key_hash, 'hex') as "keyHash", user_email as user, name, revoked_at is not null as "isRevoked"
           from graphql_gateway.api_key`,
      ),
      quotas: await rows(
        `select email as user, used from graphql_gateway.daily_quota join identity.user_account on id = user_id
          where day = (now() at time zone 'UTC')::date`,
      ),
      auditedUses: await rows(
        `select ${keyHash}, count(*)::int as count ${fromAudit} where outcome = 'used' group by 1`,
      ),
      auditedKeys: await rows(
        `select ${keyHash}, count(*) filter (where outcome = 'created')::int as made,
                count(*) filter (where outcome = 'revoked')::int as revoked ${fromAudit} group by 1`,
      ),
    };
  } finally {
    await database.end();
  }
}

interface ItemRow {
  runId: string;
  company: string;
  target: string;
  id: string;
  raw: unknown;
}

/** Some runs at a time: the rows of an hour do not fit into memory. */
const runsTogether = 200;

async function itemsOf(database: pg.Client, table: RunItems['table']): Promise<RunItems[]> {
  const { table: from, id } = itemTables[table];
  const runs = (
    await database.query<{ runId: string }>(`select distinct provider_run_id as "runId" from warehouse.${from}`)
  ).rows.map(({ runId }) => runId);
  const items: RunItems[] = [];
  for (let first = 0; first < runs.length; first += runsTogether) {
    const { rows } = await database.query<ItemRow>(
      `select provider_run_id as "runId", user_company_id as company, network_username as target, ${id} as id, raw
         from warehouse.${from} where provider_run_id = any($1)`,
      [runs.slice(first, first + runsTogether)],
    );
    for (const own of groupBy(rows, ({ runId, company, target }) => `${runId} ${company} ${target}`).values()) {
      const { runId, company, target } = own[0]!;
      items.push({
        ...{ runId, company, target, table, rows: own.length },
        distinct: new Set(own.map((row) => row.id)).size,
        sum: sumOfSums(own.map(({ raw }) => contentSum(raw))),
      });
    }
  }
  return items;
}

const keyHash = `encode(key_hash, 'hex') as "keyHash"`;
const fromAudit = 'from graphql_gateway.api_key_audit join graphql_gateway.api_key on api_key.id = key_id';

function readObjects(folder: string): Evidence['objects'] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({
      username: decodeURIComponent(name).replace(/_\d{14}(-\d+)?\.json$/, ''),
      content: profileContent(parsed(readFileSync(join(folder, name), 'utf8'))),
    }));
}

/** Undefined for a file that was cut off. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The profile's address is in its body, whatever the outcome. The warehouse does not keep the order of fields. */
function profileContent(body: unknown): ProfileContent {
  const url = (body as { url?: unknown } | undefined)?.url;
  const person = typeof url === 'string' ? decodeURIComponent(url.split('/in/')[1] ?? '').toLowerCase() : undefined;
  const sum = contentSum(body);
  return person === undefined ? { sum } : { person, sum };
}
