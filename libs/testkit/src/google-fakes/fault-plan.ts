// Failures that a test orders from a fake, used up one by one.

export interface FaultPlan<Fault> {
  /** The next `times` calls of the method fail in this way. */
  failNext(method: string, fault: Fault, times?: number): void;
  /** The failure due for this call, if any. */
  take(method: string): Fault | undefined;
}

export function createFaultPlan<Fault>(): FaultPlan<Fault> {
  const due = new Map<string, Fault[]>();
  return {
    failNext(method, fault, times = 1) {
      due.set(method, [...(due.get(method) ?? []), ...Array.from({ length: times }, () => fault)]);
    },
    take(method) {
      return due.get(method)?.shift();
    },
  };
}
