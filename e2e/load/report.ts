// The tables at the end of a run, in Markdown.
import type { OverloadResult } from './steps/overload.js';
import type { SoakResult } from './steps/soak.js';

export function overloadTable(results: readonly OverloadResult[]): string[] {
  return [
    '| operation | times | sent/s | served/s | p50 | p99 | refused | p99 of refusals | failed | late | memory | handles | recovery |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |',
    ...results.flatMap(({ operation, steps, recoveryMs, memoryBytesBefore }) =>
      steps.map(({ factor, ratePerSecond, summary, memoryBytes, handles }) => {
        const seconds = summary.sent / ratePerSecond;
        const isLast = factor === steps.at(-1)?.factor;
        return row([
          `${operation.service}: ${operation.name}`,
          String(factor),
          String(ratePerSecond),
          (summary.served / seconds).toFixed(0),
          milliseconds(summary.p50Ms),
          milliseconds(summary.p99Ms),
          share(summary.refused, summary.sent),
          summary.refused === 0 ? '' : milliseconds(summary.refusalP99Ms),
          failures(summary.failed),
          milliseconds(summary.lateP99Ms),
          `${factor === 1 ? `${megabytes(memoryBytesBefore)} → ` : ''}${megabytes(memoryBytes)} MB`,
          String(handles),
          isLast ? (recoveryMs === undefined ? 'over 5 s' : milliseconds(recoveryMs)) : '',
        ]);
      }),
    ),
  ];
}

export function soakTable({ services, operations }: SoakResult): string[] {
  return [
    '| service | heap, second third | last third | memory, first | last | handles, second third | last third |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...services.map(({ service, heap, handles, memoryBytes }) =>
      row([
        service,
        `${megabytes(heap.before)} MB`,
        `${megabytes(heap.after)} MB`,
        `${megabytes(memoryBytes.first)} MB`,
        `${megabytes(memoryBytes.last)} MB`,
        String(handles.before),
        String(handles.after),
      ]),
    ),
    '',
    '| operation | sent/s | served | p50 | p99 | refused | failed |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...operations.map(({ operation, summary }) =>
      row([
        `${operation.service}: ${operation.name}`,
        String(operation.soakPerSecond),
        String(summary.served),
        milliseconds(summary.p50Ms),
        milliseconds(summary.p99Ms),
        share(summary.refused, summary.sent),
        failures(summary.failed),
      ]),
    ),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function share(part: number, whole: number): string {
  return part === 0 ? '0' : `${((100 * part) / whole).toFixed(1)} %`;
}

function failures(failed: Readonly<Record<string, number>>): string {
  const counts = Object.entries(failed).map(([status, count]) => `${count} × ${status}`);
  return counts.length === 0 ? '0' : counts.join(', ');
}
