import { Injectable } from '@nestjs/common';
import type { ProviderPause } from '@tradewind/scraping-provider';
import { Db, storableJson, type Queries, type Tx } from '@tradewind/service-kit';
import type { Month, ProfileCallStatus, RetryCounts } from '@tradewind/shared-types';
import { monthlyGeneration, type BatchProfile } from '../batch-message.js';
import type { CallGroup, CallOfProfile, CallOutcome, ClaimedCall, PauseLeft, RetryPlan } from './profile-call.types.js';
import { isRetryable } from './retry-rule.js';

interface ClaimedRow {
  correlation_id: string;
  network_username: string;
  start_fence: number;
  attempts: number;
  doubt_until: Date;
  now: Date;
}

const claimedColumns = 'c.correlation_id, c.network_username, c.start_fence, c.attempts, c.doubt_until, now() as now';

/**
 * From the batch to the start: all SQL that records, claims, starts, retries and removes rows of profile_call, and
 * pauses starts. WatchedCallsStore goes on from the start to the delivery.
 *
 * Two columns keep older names: `attempts` for failures, `doubt_until` for settleAfter. Two releases use it side by
 * side, so a new name would need both columns to be written for a release. That costs more than it clears up.
 */
@Injectable()
export class ProfileCallsStore {
  constructor(private readonly db: Db) {}

  /**
   * Records that these profiles shall be started, each once in its month and generation, however often they are sent.
   * @param reservedMs how long the background leaves new ones to the caller
   */
  async insert(
    group: { month: string; generation: string; batchNumber: number | null; profiles: readonly BatchProfile[] },
    reservedMs: number,
    queries: Queries = this.db,
  ): Promise<number> {
    return queries.affected(
      `insert into profile_call(month, network_username, generation, person_id, state, correlation_id, batch_number, due_at)
       select $1, p.network_username, $2, p.person_id, 'pending', ${newCorrelationId('$1', '$2')}, $3, now() + $6 * interval '1 ms'
       from unnest($4::text[], $5::uuid[]) as p(network_username, person_id)
       on conflict do nothing`,
      [
        group.month,
        group.generation,
        group.batchNumber,
        group.profiles.map(({ networkUsername }) => networkUsername),
        group.profiles.map(({ personId }) => personId),
        reservedMs,
      ],
    );
  }

  /**
   * Takes pending profiles and marks them as starting, before the provider is called. Over all replicas at most
   * `slots` are starting at once: the lock makes count and claim one step.
   * @param group only these, due or reserved for the caller; without it whatever is due, oldest first
   */
  async claim(options: {
    limit: number;
    slots: number;
    leaseMs: number;
    settleMs: number;
    group?: CallGroup;
  }): Promise<ClaimedCall[]> {
    const { limit, slots, leaseMs, settleMs, group } = options;
    const groupSql = group
      ? 'month = $5 and generation = $6 and network_username = any($7) and (due_at <= now() or reason is null)'
      : 'due_at <= now()';
    return this.db.transaction(async (tx) => {
      await tx.rows(`select pg_advisory_xact_lock(hashtext('priority_api start slots'))`);
      const claimed = await tx.rows<ClaimedRow>(
        `update profile_call c set state = 'starting', start_fence = start_fence + 1,
           due_at = now() + $3 * interval '1 ms', doubt_until = now() + $4 * interval '1 ms'
         from (
           select correlation_id as picked_id from profile_call
           where state = 'pending' and ${groupSql}
             and not exists (select from provider_pause where until > now())
           order by due_at
           limit least($1, greatest(0, $2 - (select count(*) from profile_call where state = 'starting' and due_at > now())))
           for update skip locked) picked
         where c.correlation_id = picked.picked_id
         returning ${claimedColumns}`,
        [limit, slots, leaseMs, settleMs, ...(group ? [group.month, group.generation, group.networkUsernames] : [])],
      );
      return claimed.map(toClaimed);
    });
  }

  /** Takes unsettled starts that are due to be looked up. */
  async claimUnsettled(limit: number, leaseMs: number): Promise<ClaimedCall[]> {
    const claimed = await this.db.rows<ClaimedRow>(
      `update profile_call c set state = 'unknown', due_at = now() + $2 * interval '1 ms'
       from (select correlation_id as picked_id from profile_call
             where state in ('starting', 'unknown') and due_at <= now()
             order by due_at limit $1 for update skip locked) picked
       where c.correlation_id = picked.picked_id
       returning ${claimedColumns}`,
      [limit, leaseMs],
    );
    return claimed.map(toClaimed);
  }

  /**
   * Compare and set: an outcome counts while its claim is the latest and the start is on its way or unsettled. A
   * process that was frozen meanwhile changes nothing, with one exception: the scrape that it started exists. It is
   * recorded unless another one is, so that none is started after it.
   */
  async recordOutcomes(outcomes: readonly CallOutcome[]): Promise<void> {
    const rows = outcomes.map((outcome) => ({
      correlation_id: outcome.correlationId,
      start_fence: outcome.startFence,
      state: outcome.state,
      scrape_id: outcome.state === 'started' ? outcome.scrapeId : null,
      started_at: outcome.state === 'started' ? outcome.startedAt.toISOString() : null,
      reason: outcome.state === 'started' ? null : outcome.reason.slice(0, 500),
      after_ms: 'afterMs' in outcome ? outcome.afterMs : 0,
      attempts: 'failures' in outcome ? outcome.failures : null,
      settle_ms: 'settleMs' in outcome ? outcome.settleMs : null,
    }));
    await this.db.affected(
      `update profile_call c set
         state = o.state, reason = o.reason,
         attempts = coalesce(o.attempts, c.attempts),
         scrape_id = coalesce(o.scrape_id, c.scrape_id),
         started_at = coalesce(o.started_at, c.started_at),
         doubt_until = coalesce(now() + o.settle_ms * interval '1 ms', c.doubt_until),
         due_at = now() + o.after_ms * interval '1 ms'
       from json_to_recordset($1::json) as o(correlation_id text, start_fence int, state text, scrape_id text,
         started_at timestamptz, reason text, after_ms float8, attempts int, settle_ms float8)
       where c.correlation_id = o.correlation_id and c.state <> 'started'
         and (o.state = 'started' or (c.start_fence = o.start_fence and c.state in ('starting', 'unknown')))`,
      [storableJson(rows)],
    );
  }

  /** Gives what was reserved for the caller to the background, due now. */
  async release(group: CallGroup): Promise<void> {
    await this.db.affected(
      `update profile_call set due_at = now()
       where month = $1 and generation = $2 and network_username = any($3) and state = 'pending' and reason is null and due_at > now()`,
      [group.month, group.generation, group.networkUsernames],
    );
  }

  /** How many of these are recorded, in whatever state. */
  async count(group: CallGroup): Promise<number> {
    const [row] = await this.db.rows<{ n: number }>(
      `select count(*)::int as n from profile_call
       where month = $1 and generation = $2 and network_username = any($3)`,
      [group.month, group.generation, group.networkUsernames],
    );
    return row!.n;
  }

  /** How many of these are neither started nor refused. */
  async countOpen(group: CallGroup): Promise<number> {
    const [row] = await this.db.rows<{ n: number }>(
      `select count(*)::int as n from profile_call
       where month = $1 and generation = $2 and network_username = any($3) and state in ('pending', 'starting', 'unknown')`,
      [group.month, group.generation, group.networkUsernames],
    );
    return row?.n ?? 0;
  }

  /** How many of these could be claimed if there were a slot. */
  async countClaimable(group: CallGroup): Promise<number> {
    const [row] = await this.db.rows<{ n: number }>(
      `select count(*)::int as n from profile_call
       where month = $1 and generation = $2 and network_username = any($3) and state = 'pending' and (due_at <= now() or reason is null)`,
      [group.month, group.generation, group.networkUsernames],
    );
    return row?.n ?? 0;
  }

  /**
   * A start failed. Those that fail during a pause belong to the burst that began it: they do not count, and only
   * prolong it. Returns the pause that begins with this failure.
   * @param decide the pause, from the number of failures in a row before this one
   */
  async noteFailure(
    detail: string,
    decide: (failuresInARow: number) => ProviderPause | undefined,
  ): Promise<ProviderPause | undefined> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.rows<{ failures_in_a_row: number; is_paused: boolean }>(
        'select failures_in_a_row, until > clock_timestamp() as is_paused from provider_pause for update',
      );
      const { is_paused, failures_in_a_row } = row!;
      const pause = decide(is_paused ? 0 : failures_in_a_row);
      if (!pause) return undefined;
      await tx.affected(
        `with later as (select clock_timestamp() + $2 * interval '1 ms' as until)
         update provider_pause p set failures_in_a_row = failures_in_a_row + $1,
           until = greatest(p.until, later.until),
           kind = case when later.until > p.until then $3 else kind end,
           detail = case when later.until > p.until then $4 else detail end
         from later`,
        [is_paused ? 0 : 1, pause.pauseMs, pause.kind, detail.slice(0, 500)],
      );
      return is_paused || pause.pauseMs === 0 ? undefined : pause;
    });
  }

  /** A start succeeded, however that became known: the next failure is the first again. */
  async noteStart(): Promise<void> {
    await this.db.affected('update provider_pause set failures_in_a_row = 0 where failures_in_a_row > 0');
  }

  async findPause(): Promise<PauseLeft | undefined> {
    const [row] = await this.db.rows<{ kind: PauseLeft['kind']; left_ms: number }>(
      `select kind, extract(epoch from until - clock_timestamp())::float8 * 1000 as left_ms
       from provider_pause where until > clock_timestamp()`,
    );
    return row && { kind: row.kind, leftMs: row.left_ms };
  }

  /** The state of each known profile in a month; of several generations the latest, unless one is named. */
  async listStatuses(
    month: Month,
    networkUsernames: readonly string[],
    generation?: string,
  ): Promise<ProfileCallStatus[]> {
    const rows = await this.db.rows<Omit<ProfileCallStatus, 'started_at'> & { started_at: Date | null }>(
      `select distinct on (network_username) network_username, state, reason, started_at from profile_call
       where month = $1 and network_username = any($2) and ($3::text is null or generation = $3)
       order by network_username, created_at desc`,
      [month, networkUsernames, generation ?? null],
    );
    return rows.map((row) => ({ ...row, started_at: row.started_at?.toISOString() ?? null }));
  }

  /**
   * A profile in all months that are kept, the latest first. The primary key begins with the month, so the months are
   * found first, one step of the index for each.
   */
  async listOfProfile(
    networkUsername: string,
    { after, limit }: { after?: { month: string; generation: string } | undefined; limit: number },
  ): Promise<CallOfProfile[]> {
    return this.db.rows<CallOfProfile>(
      `with recursive kept(kept_month) as (
         select max(month) from profile_call
         union all
         select (select max(month) from profile_call where month < kept_month) from kept where kept_month is not null
       )
       select month, generation, person_id as "personId", batch_number as "batchNumber", created_at as "createdAt", state,
         reason, started_at as "startedAt", scrape_id as "scrapeId", lost_at as "lostAt", delivered_at as "deliveredAt",
         delivered_status as "deliveredStatus",
         (select coalesce(json_agg(json_build_object('plan_id', plan_id,
             'retried_at', to_char(retried_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'requested_by', requested_by) order by retried_at desc), '[]')
           from profile_retry r
           where (r.month, r.network_username, r.generation) = (c.month, c.network_username, c.generation)) as retries
       from kept join profile_call c on month = kept_month
       where network_username = $1 and ($2::text is null or (month, generation) < ($2, $3::text))
       order by month desc, generation desc limit $4`,
      [networkUsername, after?.month ?? null, after?.generation ?? null, limit],
    );
  }

  async countByState(month: string): Promise<Record<string, number>> {
    const rows = await this.db.rows<{ state: string; n: number }>(
      'select state, count(*)::int as n from profile_call where month = $1 group by state',
      [month],
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  /**
   * Starts what `isRetryable` allows again, under a new correlation id, and counts the rest; a dry run only counts. One
   * statement with the condition in its `where`. A second retry at the same time waits for the row and then finds it on
   * its way. The table profile_retry keeps what a plan has started. The same plan starts it once, even when it has
   * failed again meanwhile, and gets the same answer.
   */
  async retry(plan: RetryPlan): Promise<RetryCounts> {
    const [counts] = await this.db.rows<RetryCounts>(
      `with asked as (
         select * from unnest($2::text[], $3::uuid[]) as a(network_username, person_id)
       ), call as (
         select distinct on (c.network_username) c.* from profile_call c join asked using (network_username)
         where c.month = $1 and ($4::text is null or c.generation = $4)
         order by c.network_username, c.created_at desc
       ), planned as (
         select month, network_username, generation from profile_retry where plan_id = $5::uuid
       ), restarted as (
         update profile_call c set state = 'pending', correlation_id = ${newCorrelationId('c.month', 'c.generation')},
           scrape_id = null, attempts = 0, reason = null, due_at = now(), started_at = null,
           delivered_at = null, delivered_status = null, watched_at = null, lost_at = null
         from call
         where not $6::boolean and (c.month, c.network_username, c.generation) = (call.month, call.network_username, call.generation)
           and ${isRetryable('c')}
           and (c.month, c.network_username, c.generation) not in (select * from planned)
         returning c.month, c.network_username, c.generation
       ), added as (
         insert into profile_call(month, network_username, generation, person_id, state, correlation_id, due_at)
         select $1::text, network_username, coalesce($4, '${monthlyGeneration}'), person_id, 'pending',
           ${newCorrelationId('$1::text', `coalesce($4, '${monthlyGeneration}')`)}, now()
         from asked where not $6::boolean and $7::boolean and network_username not in (select network_username from call)
         on conflict do nothing
         returning month, network_username, generation
       ), begun as (
         select * from restarted union all select * from added
       ), recorded as (
         insert into profile_retry(plan_id, month, network_username, generation, requested_by) select $5::uuid, begun.*, $8::text from begun
       ), judged as (
         select call.delivered_status = 'SUCCESS' as is_done,
           call.network_username is null and not $7::boolean as is_unknown,
           network_username in (select network_username from begun)
             or (call.month, network_username, call.generation) in (select * from planned)
             or ($6 and (case when call.network_username is null then $7 else ${isRetryable('call')} end)) as is_started
         from asked left join call using (network_username)
       )
       select count(*) filter (where is_started)::int as started,
         count(*) filter (where is_started is not true and is_done)::int as done,
         count(*) filter (where is_started is not true and is_unknown)::int as not_known,
         count(*) filter (where is_started is not true and is_done is not true and not is_unknown)::int as on_their_way
       from judged`,
      [
        plan.month,
        plan.profiles.map(({ networkUsername }) => networkUsername),
        plan.profiles.map(({ personId }) => personId),
        plan.generation ?? null,
        plan.planId,
        plan.isDryRun,
        plan.arePublished,
        plan.requestedBy,
      ],
    );
    return counts!;
  }

  /** Profiles of a month, a page at a time in order of handle. */
  async listOfMonth(month: Month, after: string, limit: number): Promise<BatchProfile[]> {
    return this.db.rows(
      `select distinct on (network_username) network_username as "networkUsername", person_id as "personId" from profile_call
       where month = $1 and network_username > $2 order by network_username, created_at desc limit $3`,
      [month, after, limit],
    );
  }

  /**
   * Removes profiles of earlier months that are done: refused, or started and delivered. What is still to be started
   * or awaited is kept however old.
   */
  async removeSettled(tx: Tx, before: { month: Month; start: Date }, limit: number): Promise<number> {
    return tx.affected(
      `delete from profile_call where correlation_id in (
         select correlation_id from profile_call
         where month < $1 and created_at < $2 and (state = 'refused' or (state = 'started' and delivered_at is not null))
         order by month limit $3 for update skip locked)`,
      [before.month, before.start, limit],
    );
  }
}

/** SQL of a fresh correlation id, as scrapeCorrelationId of shared-types describes it. */
function newCorrelationId(month: string, generation: string): string {
  return `${month} || '.' || gen_random_uuid() || case ${generation} when '${monthlyGeneration}' then '' else '.' || ${generation} end`;
}

function toClaimed(row: ClaimedRow): ClaimedCall {
  return {
    correlationId: row.correlation_id,
    startFence: row.start_fence,
    networkUsername: row.network_username,
    failures: row.attempts,
    claimedAt: row.now,
    settleAfter: row.doubt_until,
  };
}
