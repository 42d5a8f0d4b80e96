// Units of the day are taken in groups: requests that arrive while one statement runs are grouped for the next one.
// This is atomic over all replicas and exact for each request. Each row has its own condition, and a user is at most
// once in a group. So a user who sends many requests at once delays only their own.
import { GroupCommit } from '@tradewind/service-kit';

export interface DailyTake {
  userId: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  cost: number;
}

export interface DailyTaken {
  isAllowed: boolean;
  /** Units of the day after this take. */
  used: number;
}

interface DailyUse {
  user_id: string;
  day: string;
  used: number;
}

/** Answers the rows of a statement, which PostgreSQL keeps by its name. */
type Query = (name: string, text: string, values: unknown[]) => Promise<DailyUse[]>;

/** Far above what one process serves at once. */
const groupSizeMax = 200;
/**
 * Usually one group runs at a time. A second one starts after a while, so that one locked row does not stop all users.
 */
const parallel = 2;
const besideAfterMs = 20;

export class DailyTakes {
  private readonly groups = new GroupCommit<DailyTake, DailyTaken>({
    write: (takes) => this.takeGroup(takes),
    groupSizeMax,
    parallel,
    besideAfterMs,
  });
  /** The last take of each user and day that is not done. */
  private readonly last = new Map<string, Promise<DailyTaken>>();

  /** @param limit units of one user in one day */
  constructor(
    private readonly query: Query,
    private readonly limit: number,
  ) {}

  /** All of the cost or nothing. A failure of the database takes nothing and rejects. */
  async take(take: DailyTake): Promise<DailyTaken> {
    const key = keyOf(take.userId, take.day);
    const before = this.last.get(key);
    const join = () => this.groups.add(take);
    const mine = before ? before.then(join, join) : join();
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }

  private async takeGroup(takes: readonly DailyTake[]): Promise<DailyTaken[]> {
    const users = takes.map(({ userId }) => userId);
    const days = takes.map(({ day }) => day);
    const taken = usedByKey(
      // Rows are locked in the order of their keys, so that two groups cannot deadlock.
      await this.query(
        'take-daily',
        `insert into daily_quota as q (user_id, day, used)
         select * from unnest($1::uuid[], $2::date[], $3::integer[]) as t (user_id, day, cost)
          where cost <= $4::integer order by user_id, day
         on conflict (user_id, day) do update set used = q.used + excluded.used where q.used + excluded.used <= $4
         returning user_id, day::text, used`,
        [users, days, takes.map(({ cost }) => cost), this.limit],
      ),
    );
    const refused = takes.filter(({ userId, day }) => !taken.has(keyOf(userId, day)));
    const seen = refused.length === 0 ? undefined : await this.look(refused);
    return takes.map(({ userId, day }) => {
      const key = keyOf(userId, day);
      const used = taken.get(key);
      return used === undefined ? { isAllowed: false, used: seen?.get(key) ?? 0 } : { isAllowed: true, used };
    });
  }

  private async look(takes: readonly DailyTake[]): Promise<Map<string, number>> {
    return usedByKey(
      await this.query(
        'daily-uses',
        'select user_id, day::text, used from daily_quota where user_id = any ($1::uuid[]) and day = any ($2::date[])',
        [takes.map(({ userId }) => userId), [...new Set(takes.map(({ day }) => day))]],
      ),
    );
  }
}

function keyOf(userId: string, day: string): string {
  return `${userId} ${day}`;
}

function usedByKey(rows: readonly DailyUse[]): Map<string, number> {
  return new Map(rows.map(({ user_id: userId, day, used }) => [keyOf(userId, day), used]));
}
