import { Injectable } from '@nestjs/common';
import { PreparedStatements, type Statement } from '../storage/prepared-statements.js';
import { userColumns, userFromRow, type User, type UserRow } from '../users/users.types.js';

export interface AttemptLimit {
  key: string;
  limit: number;
  windowSeconds: number;
}

export interface AttemptResult {
  allowed: boolean;
  retryAfterSeconds: number;
}

// An attempt is counted before it is made and given back if it succeeds, so that a burst of parallel guesses cannot
// slip through between check and count. A window at its limit is left alone: refused attempts do not lengthen it.
// Rows are taken in the order of their keys, hence two attempts never wait for each other in a circle.
const takeText = `
  taken as (
    insert into attempt_window as w (key, attempts, window_ends_at)
    select key, 1, now() + make_interval(secs => seconds)
      from unnest($1::text[], $2::int[], $3::int[]) as a(key, max, seconds) order by key
    on conflict (key) do update
      set attempts = case when w.window_ends_at <= now() then 1 else w.attempts + 1 end,
          window_ends_at = case when w.window_ends_at <= now() then excluded.window_ends_at else w.window_ends_at end
      where w.window_ends_at <= now()
         or w.attempts < (select max from unnest($1::text[], $2::int[]) as l(key, max) where l.key = w.key)
    returning key
  ), verdict as (
    select array(select key from taken) as taken,
           (select max(ceil(extract(epoch from w.window_ends_at - now())))::int from attempt_window w
             where w.key = any($1::text[]) and w.key not in (select key from taken)) as wait_seconds
  )`;

const take: Statement = { name: 'attempt_take', text: `with ${takeText} select taken, wait_seconds from verdict` };
const takeWithUser: Statement = {
  name: 'attempt_take_with_user',
  text: `with ${takeText}
         select v.taken, v.wait_seconds, ${userColumns('u', 'user_')}, u.password_hash
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
    const { rows } = await this.statements.run<{ taken: string[]; wait_seconds: number | null }>(take, values(limits));
    return this.settle(limits, rows[0] as { taken: string[]; wait_seconds: number | null });
  }

  /** The same, and the user of that address in the same trip. */
  async takeWithUser(
    limits: AttemptLimit[],
    emailKey: string | undefined,
  ): Promise<AttemptResult & { user: User | undefined; passwordHash: string | undefined }> {
    const { rows } = await this.statements.run<UserRow>(takeWithUser, [...values(limits), emailKey ?? null]);
    const row = rows[0] as UserRow & { taken: string[]; wait_seconds: number | null; password_hash: string | null };
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

  private async settle(
    limits: AttemptLimit[],
    row: { taken: string[]; wait_seconds: number | null },
  ): Promise<AttemptResult> {
    if (row.taken.length === limits.length) return { allowed: true, retryAfterSeconds: 0 };
    if (row.taken.length > 0) await this.statements.run(giveBack, [row.taken]);
    return { allowed: false, retryAfterSeconds: Math.max(1, row.wait_seconds ?? 1) };
  }
}

const values = (limits: AttemptLimit[]): unknown[] => [
  limits.map((one) => one.key),
  limits.map((one) => one.limit),
  limits.map((one) => one.windowSeconds),
];
