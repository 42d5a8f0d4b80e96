// Which full windows have had an audit row lately. Refusals cost their sender nothing and come in thousands; a row for
// each would let anybody fill the table.

const rowIntervalMs = 60_000;
/** Some 2 MB. Windows beyond it get a row more often. */
const rememberedMax = 10_000;

export class RefusedWindows {
  private readonly rows = new Map<string, number>();

  /** Whether this refusal is the one of its minute that is written down. */
  isDue(key: string, nowMs: number): boolean {
    const last = this.rows.get(key);
    if (last !== undefined && nowMs - last < rowIntervalMs) return false;
    this.rows.delete(key);
    if (this.rows.size >= rememberedMax) this.rows.delete(this.rows.keys().next().value as string);
    this.rows.set(key, nowMs);
    return true;
  }
}
