// The table at the end of a run.
import type { FuzzResult } from './run-fuzz.js';
import { serviceNames } from './target/target.types.js';

export function reportLines({ sent, findings, meters }: FuzzResult): string[] {
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
      const readings = meters.get(service)?.readings ?? [];
      const megabytes = readings.map(({ memoryBytes }) => Math.round(memoryBytes / 2 ** 20));
      return readings.length === 0
        ? []
        : [`${service}: memory ${megabytes[0]} MB at first, ${megabytes.at(-1)} MB at last`];
    }),
    '',
    ...findings.map((finding) => `✗ ${finding}`),
  ];
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(20) + cells.map((cell) => cell.padStart(17)).join('');
}
