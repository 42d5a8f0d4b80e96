import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '../../../src/service-names.js';

export interface ErrorLine {
  service: ServiceName;
  atMs: number;
  text: string;
}

/** Lines of level error and fatal in the logs of all replicas, such as `identity-1.log`, between these moments. */
export function readErrorLines(logsDir: string, sinceMs: number, untilMs: number): ErrorLine[] {
  return readdirSync(logsDir).flatMap((file) => {
    const service = serviceNames.find(
      (name) => file.startsWith(`${name}-`) && /^-\d+\.log/.test(file.slice(name.length)),
    );
    if (service === undefined) return [];
    return readFileSync(join(logsDir, file), 'utf8')
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line))
      .map((text) => ({ service, text, atMs: Date.parse(/"time":"([^"]+)"/.exec(text)?.[1] ?? '') }))
      .filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
  });
}
