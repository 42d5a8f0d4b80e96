// Units of the day are taken in groups: while one statement is under way, the requests that arrive meanwhile gather for
// the next one. Atomic over all replicas and exact for each request: a row is taken from under its own condition, and
// a user is at most once in a group. Whoever sends many requests at once waits for himself, not the others for him.
import { GroupCommit } from '@tradewind/service-kit';
import type { Cell } from '../data-store/cells-query.js';

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

/** Answers the cells of the rows. */
type Query = (name: string, text: string, values: unknown[]) => Promise<Cell[][]>;

/** Far above what one process serves at once. */
const groupSizeMax = 200;
/** One group at a time gathers most; after a while a second one keeps a row that somebody holds from stopping everybody. */
const parallel = 2;
const besideAfterMs = 20;
/** Users whose last count is remembered. */
const rememberedMax = 10_000;

export class DailyTakes {
  private readonly groups = new GroupCommit<DailyTake, DailyTaken>({
    write: (takes) => this.takeGroup(takes),
    groupSizeMax,
    parallel,
    besideAfterMs,
  });
  /** The last take of each user and day that is not done. */
  private readonly last = new Map<string, Promise<DailyTaken>>();
  /** What is known of a user's day without asking: units after the last take, and what takes under way may add. */
  private readonly remembered = new Map<string, { used: number | undefined; underWay: number }>();

  /** @param limit units of one user in one day */
  constructor(
    private readonly query: Query,
    private readonly limit: number,
  ) {}

  /** Whether a take would succeed as far as this process knows. Other replicas may have taken units since. */
  isExpectedToPass({ userId, day, cost }: DailyTake): boolean {
    const known = this.remembered.get(keyOf(userId, day));
    return known?.used !== undefined && known.used + known.underWay + cost <= this.limit;
  }

  /** All of the cost or nothing. A failure of the database takes nothing and rejects. */
  async take(take: DailyTake): Promise<DailyTaken> {
    const key = keyOf(take.userId, take.day);
    const known = this.recall(key);
    known.underWay += take.cost;
    const before = this.last.get(key);
    const join = () => this.groups.add(take);
    const mine = before ? before.then(join, join) : join();
    this.last.set(key, mine);
    try {
      const taken = await mine;
      known.used = taken.used;
      return taken;
    } finally {
      known.underWay -= take.cost;
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }

  private recall(key: string): { used: number | undefined; underWay: number } {
    let known = this.remembered.get(key);
    if (!known) {
      if (this.remembered.size >= rememberedMax) this.remembered.delete(this.remembered.keys().next().value!);
      this.remembered.set(key, (known = { used: undefined, underWay: 0 }));
    }
    return known;
  }

  private async takeGroup(takes: readonly DailyTake[]): Promise<DailyTaken[]> {
    const users = takes.map(({ userId }) => userId);
    const days = takes.map(({ day }) => day);
    const taken = usedByKey(
      // Rows are locked in the order of their keys, so that two groups cannot wait for one another in a circle.
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

/** @param rows of user, day and units */
function usedByKey(rows: readonly Cell[][]): Map<string, number> {
  return new Map(rows.map(([userId, day, used]) => [keyOf(userId!, day!), Number(used)]));
}
