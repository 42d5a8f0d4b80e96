// A machine whose clock is wrong: `Date` is off, while timers and `performance.now()` go on.
const RealDate = Date;

/**
 * Runs the work with the clock of this process so many milliseconds ahead, or behind when negative. Whatever else runs
 * in the process meanwhile sees the same time. The clock of the database stays right.
 */
export async function withClockOff<T>(offsetMs: number, work: () => Promise<T>): Promise<T> {
  const before = globalThis.Date;
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (real, given, made) => Reflect.construct(real, given.length === 0 ? [now()] : given, made) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (real, key) => (key === 'now' ? now : (Reflect.get(real, key) as unknown)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = before;
  }
}

/** Runs the work with a clock that begins at this instant, such as `2028-02-28T23:59:58Z`. */
export function withClockAt<T>(instant: string, work: () => Promise<T>): Promise<T> {
  return withClockOff(RealDate.parse(instant) - RealDate.now(), work);
}
