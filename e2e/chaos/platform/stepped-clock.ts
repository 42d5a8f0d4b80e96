// Preloaded into each replica (node --import): its wall clock is off by what the harness says. Timers and
// performance.now() run on, as they do when NTP steps the clock of a machine, and so does the clock of PostgreSQL.
// Erasable TypeScript and no imports: Node loads this file through its own type stripping.
const RealDate = Date;
let offsetMs = 0;
const now = (): number => RealDate.now() + offsetMs;

const SteppedDate = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget: typeof RealDate): Date =>
    // Only a constructor without arguments asks for the time. The type of the result is that of the target.
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver): unknown => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
RealDate.prototype.constructor = SteppedDate;
globalThis.Date = SteppedDate;

process.on('message', (message: { clockOffsetMs?: number }) => {
  offsetMs = message.clockOffsetMs ?? offsetMs;
});
// The channel alone must not keep a service alive that has nothing left to do.
process.channel?.unref();
