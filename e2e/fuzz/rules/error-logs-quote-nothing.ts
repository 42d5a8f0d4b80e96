// Each request carries a text of its own; none of them may be in a line of level error or fatal.
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serviceNames } from '../../src/service-names.js';
import type { RunRule } from './rule.types.js';

const shownMax = 3;

export const errorLogsQuoteNothing: RunRule = {
  name: 'no error log quotes a request',
  begin: async ({ target: { logsDir }, sender }) => {
    return async () => {
      if (logsDir === undefined) return [];
      const findings: string[] = [];
      for (const service of serviceNames) {
        const file = join(logsDir, `${service}.log`);
        if (!existsSync(file)) continue;
        let found = 0;
        for await (const line of createInterface({ input: createReadStream(file) })) {
          if (!line.includes(sender.markerOfRun) || !/"level":"(error|fatal)"/.test(line)) continue;
          found += 1;
          if (found <= shownMax) findings.push(`${service}: ${line.slice(0, 500)}`);
        }
        if (found > shownMax) findings.push(`${service}: ${found - shownMax} more lines`);
      }
      return findings;
    };
  },
};
