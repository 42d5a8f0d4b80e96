// The table at the end of a run.
import type { FuzzResult } from './run-fuzz.js';
import { serviceNames } from '../src/service-names.js';

export function reportLines({ sent, statuses, findings, meters }: FuzzResult): string[] {
  const classes = [...new Set(sent.map(({ hostileClass }) => hostileClass))];
  const count = (of: (one: FuzzResult['sent'][number]) => boolean) =>
    String(sent.filter(of).reduce((sum, { requests }) => sum + requests, 0));
  return [
    '',
    row('requests', [...serviceNames, 'all']),
    ...classes.map((name) =>
      row(name, [
        ...serviceNames.map((service) => count((one) => one.hostileClass === name && one.service === service)),
        count((one) => one.hostileClass === name),
      ]),
    ),
    row('all', [...serviceNames.map((service) => count((one) => one.service === service)), count(() => true)]),
    ...serviceNames.flatMap((service) => {
      const { readings = [], keptHeaps = [] } = meters.get(service) ?? {};
      if (readings.length === 0) return [];
      const memory = readings.map(({ memoryBytes }) => megabytes(memoryBytes));
      const heaps = keptHeaps.map(({ heapBytes }) => megabytes(heapBytes));
      return [
        `${service}: memory ${memory[0]} MB at first, ${memory.at(-1)} MB at last; heap after collections ${heaps.join(', ')} MB`,
      ];
    }),
    ...[...statuses].map(([service, counts]) => {
      const shown = [...counts]
        .sort(([, one], [, other]) => other - one)
        .map(([status, times]) => `${status} ×${times}`);
      return `${service} answered ${shown.join(', ')}`;
    }),
    '',
    ...findings.map((finding) => `✗ ${finding}`),
  ];
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(20) + cells.map((cell) => cell.padStart(17)).join('');
}
