import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement } from '@tradewind/service-kit';
import { userColumn, type User } from '../users/users.types.js';

export interface AttemptLimit {
  key: string;
  limit: number;
  windowSeconds: number;
}

export interface AttemptResult {
  allowed: boolean;
  retryAfterSeconds: number;
  /** The windows that refused it. */
  fullKeys: string[];
  user: User | undefined;
  passwordHash: string | undefined;
}

interface Verdict {
  taken: string[];
  refused: string[];
  wait_seconds: number | null;
  user: User | null;
  password_hash: string | null;
}

// An attempt is counted before it is made, and given back if it succeeds. So no burst of parallel guesses passes
// between check and count. A full window stays as it is: refused attempts neither extend it nor make rows for the other
// windows of the attempt (`full_windows`). The condition of the update enforces the limit: `full_windows` only sees
// what existed when the statement began. Rows are locked in the order of their keys, so two attempts never deadlock.
const take: NamedStatement = {
  name: 'attempt_take',
  text: `
  with wanted as (
    select * from unnest($1::text[], $2::int[], $3::int[]) as a(key, max, seconds)
  ), full_windows as (
    select w.key, w.window_ends_at from wanted join attempt_window w using (key)
     where w.window_ends_at > now() and w.attempts >= wanted.max
  ), taken as (
    insert into attempt_window as w (key, attempts, window_ends_at)
    select key, 1, now() + make_interval(secs => seconds) from wanted
     where not exists (select from full_windows) order by key
    on conflict (key) do update
      set attempts = case when w.window_ends_at <= now() then 1 else w.attempts + 1 end,
          window_ends_at = case when w.window_ends_at <= now() then excluded.window_ends_at else w.window_ends_at end
      where w.window_ends_at <= now() or w.attempts < (select max from wanted where wanted.key = w.key)
    returning key
  ), refused as (
    select key, window_ends_at from full_windows
    union all
    select w.key, w.window_ends_at from wanted join attempt_window w using (key)
     where not exists (select from full_windows) and w.key not in (select key from taken)
  ), verdict as (
    select array(select key from taken) as taken, array(select key from refused) as refused,
           (select max(ceil(extract(epoch from window_ends_at - now())))::int from refused) as wait_seconds
  )
  select v.taken, v.refused, v.wait_seconds, ${userColumn('u')} as user, u.password_hash
    from verdict v left join user_account u on u.email_key = $4`,
};
const giveBack: NamedStatement = {
  name: 'attempt_give_back',
  text: 'update attempt_window set attempts = greatest(attempts - 1, 0) where key = any($1::text[])',
};
const deleteEnded: NamedStatement = {
  name: 'attempt_delete_ended',
  text: `delete from attempt_window where ctid = any(array(
           select ctid from attempt_window where window_ends_at < now() limit $1 for update skip locked))`,
};

@Injectable()
export class AttemptsStore {
  constructor(private readonly db: Db) {}

  /**
   * Counts one attempt in every window, or in none if one of them is full. The user of the address comes in the same
   * round trip.
   */
  async take(limits: AttemptLimit[], emailKey?: string): Promise<AttemptResult> {
    const [verdict] = await this.db.rows<Verdict>(take, [
      limits.map((one) => one.key),
      limits.map((one) => one.limit),
      limits.map((one) => one.windowSeconds),
      emailKey ?? null,
    ]);
    const { taken, refused, wait_seconds: waitSeconds, user, password_hash: passwordHash } = verdict!;
    const found = { user: user ?? undefined, passwordHash: passwordHash ?? undefined };
    if (taken.length === limits.length) return { allowed: true, retryAfterSeconds: 0, fullKeys: [], ...found };
    if (taken.length > 0) await this.db.affected(giveBack, [taken]);
    return { allowed: false, retryAfterSeconds: Math.max(1, waitSeconds ?? 1), fullKeys: refused, ...found };
  }

  /** Gives one attempt back in every window. */
  async giveBack(limits: AttemptLimit[]): Promise<void> {
    await this.db.affected(giveBack, [limits.map(({ key }) => key)]);
  }

  async deleteEnded(limit: number): Promise<number> {
    return this.db.affected(deleteEnded, [limit]);
  }
}
