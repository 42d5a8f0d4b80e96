// What must hold beyond the limit. A sentence for each thing that does not.
import type { OverloadResult } from './overload.js';

/** Served requests of an overloaded service wait for those that were admitted before them, and no longer. */
const p99MsMaxBeyond = 1_000;
/** Beyond it the machine can send no more, so latencies and missing answers say nothing of the service. */
const lateP99MsMax = 100;
const recoveryMsMax = 2_000;
/** What is under way is bounded, so the memory is, too. */
const growthBytesMax = 150 * 2 ** 20;
/** A busy neighbour can delay a rate that was held before. */
const refusedShareMax = 0.01;

export function findingsOf(result: OverloadResult): string[] {
  const { operation, steps, heldPerSecond } = result;
  const findings: string[] = [];
  if (heldPerSecond === 0) findings.push(`holds not even ${operation.ratePerSecondMin}/s`);
  if (!result.isSameProcess) findings.push('the service was restarted');
  for (const { factor, summary } of steps) {
    const isGeneratorLate = summary.lateP99Ms > lateP99MsMax;
    const failed = Object.entries(summary.failed).filter(([status]) => !(isGeneratorLate && status === 'none'));
    const failures = failed.map(([status, count]) => `${count} × ${status}`);
    if (failures.length > 0) findings.push(`at ${factor} times the rate, answers were ${failures.join(', ')}`);
    if (summary.served === 0) findings.push(`at ${factor} times the rate, nothing was served`);
    if (factor === 1 && summary.refused > summary.sent * refusedShareMax) {
      findings.push(`at the rate that it holds, ${summary.refused} of ${summary.sent} requests were refused`);
    }
    const p99MsMax = operation.p99MsMaxBeyond ?? p99MsMaxBeyond;
    if (summary.p99Ms > p99MsMax && !isGeneratorLate) {
      findings.push(`at ${factor} times the rate, p99 of the served requests was ${Math.round(summary.p99Ms)} ms`);
    }
  }
  const memory = steps.map(({ memoryBytes }) => memoryBytes);
  if (Math.max(...memory) - (memory[0] ?? 0) > growthBytesMax) {
    findings.push(`memory grew to ${Math.round(Math.max(...memory) / 2 ** 20)} MB`);
  }
  if (steps.length > 0 && (result.recoveryMs === undefined || result.recoveryMs > recoveryMsMax)) {
    findings.push(`after the overload it served in time only after ${result.recoveryMs ?? 'more than 5,000'} ms`);
  }
  return findings.map((finding) => `${operation.service}, ${operation.name}: ${finding}`);
}
