// Reads the evidence at the end of a run, with SQL of its own: the tables are the platform's, the queries are not.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { LogContent } from '../../log/log.types.js';
import type { Evidence, RunItems } from './evidence.types.js';

export interface Sources {
  databaseUrl: string;
  objectsDir: string;
  log: LogContent;
  limits: Evidence['limits'];
  killedAtStop: string[];
  deaths: readonly string[];
}

const bucket = 'scraper-monthly-priority-people';
const itemTables = {
  posts: { table: 'network_posts', id: 'post_id' },
  comments: { table: 'network_post_comments', id: 'comment_id' },
  reactions: { table: 'network_post_reactions', id: 'reaction_id' },
} as const;

export async function readEvidence(sources: Sources): Promise<Evidence> {
  const { databaseUrl, objectsDir, log, limits, killedAtStop, deaths } = sources;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const rows = async <T extends object>(text: string) => (await database.query<T>(text)).rows;
  try {
    const items: RunItems[] = [];
    for (const table of ['posts', 'comments', 'reactions'] as const) {
      const { table: from, id } = itemTables[table];
      items.push(
        ...(await rows<RunItems>(
          `select provider_run_id as "runId", '${table}' as table, count(*)::int as rows,
                  count(distinct ${id})::int as distinct from warehouse.${from} group by provider_run_id`,
        )),
      );
    }
    return {
      ...{ answers: log.answers, told: log.told, faults: log.faults, ledger: log.ledger },
      ...{ limits, killedAtStop, deaths, items },
      tracker: await rows(
        `select user_company_id as company, "networkUsername" as target, status, provider_run_id as "runId",
                posts_count as posts, comments_count as comments, reactions_count as reactions
           from interactions."network_interactions_trackerDev"`,
      ),
      profileCalls: await rows(
        `select "requestResource" as username, "requestStatus" as status from warehouse.scraped_profile_calls
          where "requestType" = 'SCRAPER_API_PERSON'`,
      ),
      objects: readObjects(join(objectsDir, bucket)),
      people: (
        await rows<{ username: string }>(
          `select distinct "identifierValue" as username from warehouse.person_identifiers
             join warehouse.person_fields using (person_id)
            where "identifierType" = 'NETWORK' and "isPriority" and "identifierValue" is not null`,
        )
      ).map(({ username }) => username),
      clients: await rows(
        `select client_id as "clientId", metadata::json ->> 'client_name' as name from identity.oauth_client
          where origin = 'registration'`,
      ),
      unusedTokens: await rows(
        `select grant_id as grant, count(*)::int as count from identity.oidc_payload
          where model = 'RefreshToken' and consumed_at is null and expires_at > now() group by grant_id`,
      ),
      keys: await rows(
        `select encode(key_hash, 'hex') as "keyHash", user_email as user, name from graphql_gateway.api_key`,
      ),
      quotas: await rows(
        `select email as user, used from graphql_gateway.daily_quota join identity.user_account on id = user_id
          where day = (now() at time zone 'UTC')::date`,
      ),
      auditedUses: await rows(auditCount('used')),
      auditedKeys: await rows(auditCount('created')),
    };
  } finally {
    await database.end();
  }
}

function auditCount(outcome: string): string {
  return `select encode(key_hash, 'hex') as "keyHash", count(*)::int as count
            from graphql_gateway.api_key_audit join graphql_gateway.api_key on api_key.id = key_id
           where outcome = '${outcome}' group by key_hash`;
}

function readObjects(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => decodeURIComponent(name));
}
