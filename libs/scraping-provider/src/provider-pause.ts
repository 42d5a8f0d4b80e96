// When and for how long all starts pause because of the provider.

/** The longest pause for capacity, in multiples of the wait that the provider asked for. */
const pauseFactorMax = 8;

/**
 * Length of a pause when the provider has no capacity, milliseconds: what it asked for, doubled with each refusal in a
 * row, plus up to a fifth, so that replicas do not come back together.
 */
export function pauseMsForCapacity(retryAfterMs: number, refusals: number, random: () => number = Math.random): number {
  return Math.round(retryAfterMs * Math.min(2 ** refusals, pauseFactorMax) * (1 + random() / 5));
}

/** A pause after unclear answers is short: the next look may find the provider back, milliseconds. */
export const outagePauseMs = 2_000;

/** Refusals in a row, without a start between them, after which no start is tried for a while. */
const capacityStreakMax = 3;
/** The same for answers that suggest the provider is down. One may be an accident; two in a row rarely are. */
const outageStreakMax = 2;

/**
 * How many starts one replica has on their way at once: halved when the provider has no room, one more with each start
 * that succeeds. So the provider's real limit is found without being told, and probed gently after a refusal.
 */
export class StartWindow {
  private size: number;
  private capacityStreak = 0;
  private outageStreak = 0;

  constructor(private readonly sizeMax: number) {
    this.size = sizeMax;
  }

  get open(): number {
    return Math.max(1, Math.floor(this.size));
  }

  started(): void {
    this.capacityStreak = 0;
    this.outageStreak = 0;
    this.size = Math.min(this.sizeMax, this.size + 1);
  }

  /** True when starting should pause. */
  noCapacity(): boolean {
    this.size = Math.max(1, this.size / 2);
    this.capacityStreak += 1;
    return this.capacityStreak >= capacityStreakMax;
  }

  /** True when starting should pause. */
  noAnswer(): boolean {
    this.size = Math.max(1, this.size / 2);
    this.outageStreak += 1;
    return this.outageStreak >= outageStreakMax;
  }
}
