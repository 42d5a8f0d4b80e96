import { Injectable } from '@nestjs/common';
import { PreparedStatements, type Statement } from '../prepared-statements.js';
import { userColumns, userFromRow, type User, type UserRow } from '../users/users.types.js';

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
}

interface Verdict {
  taken: string[];
  refused: string[];
  wait_seconds: number | null;
}

// An attempt is counted before it is made and given back if it succeeds, so that a burst of parallel guesses cannot
// slip through between check and count. A window at its limit is left alone: refused attempts do not lengthen it, and
// they make no rows for the other windows of the attempt either (`full`). The condition of the update is what holds the
// limit: `full` only sees what was there when the statement began.
// Rows are taken in the order of their keys, hence two attempts never wait for each other in a circle.
const takeText = `
  wanted as (
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
  )`;

const take: Statement = {
  name: 'attempt_take',
  text: `with ${takeText} select taken, refused, wait_seconds from verdict`,
};
const takeWithUser: Statement = {
  name: 'attempt_take_with_user',
  text: `with ${takeText}
         select v.taken, v.refused, v.wait_seconds, ${userColumns('u', 'user_')}, u.password_hash
           from verdict v left join user_account u on u.email_key = $4`,
};
const giveBack: Statement = {
  name: 'attempt_give_back',
  text: 'update attempt_window set attempts = greatest(attempts - 1, 0) where key = any($1::text[])',
};
const deleteEnded: Statement = {
  name: 'attempt_delete_ended',
  text: `delete from attempt_window where ctid = any(array(
           select ctid from attempt_window where window_ends_at < now() limit $1 for update skip locked))`,
};

@Injectable()
export class AttemptsStore {
  constructor(private readonly statements: PreparedStatements) {}

  /** Counts one attempt in every window, or in none if one of them is full. */
  async take(limits: AttemptLimit[]): Promise<AttemptResult> {
    const { rows } = await this.statements.run<Verdict & Record<string, unknown>>(take, values(limits));
    return this.settle(limits, rows[0]!);
  }

  /** The same, and the user of that address in the same trip. */
  async takeWithUser(
    limits: AttemptLimit[],
    emailKey: string | undefined,
  ): Promise<AttemptResult & { user: User | undefined; passwordHash: string | undefined }> {
    const { rows } = await this.statements.run<UserRow>(takeWithUser, [...values(limits), emailKey ?? null]);
    const row = rows[0] as UserRow & Verdict & { password_hash: string | null };
    return {
      ...(await this.settle(limits, row)),
      user: userFromRow(row, 'user_'),
      passwordHash: row.password_hash ?? undefined,
    };
  }

  /** Takes one attempt back in every window. */
  async giveBack(limits: AttemptLimit[]): Promise<void> {
    await this.statements.run(giveBack, [limits.map(({ key }) => key)]);
  }

  async deleteEnded(limit: number): Promise<number> {
    return (await this.statements.run(deleteEnded, [limit])).rowCount ?? 0;
  }

  private async settle(limits: AttemptLimit[], { taken, refused, wait_seconds }: Verdict): Promise<AttemptResult> {
    if (taken.length === limits.length) return { allowed: true, retryAfterSeconds: 0, fullKeys: [] };
    if (taken.length > 0) await this.statements.run(giveBack, [taken]);
    return { allowed: false, retryAfterSeconds: Math.max(1, wait_seconds ?? 1), fullKeys: refused };
  }
}

const values = (limits: AttemptLimit[]): unknown[] => [
  limits.map((one) => one.key),
  limits.map((one) => one.limit),
  limits.map((one) => one.windowSeconds),
];
