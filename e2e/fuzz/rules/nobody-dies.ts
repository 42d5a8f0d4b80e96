import type { RunRule } from './rule.types.js';

export const nobodyDies: RunRule = {
  name: 'no service dies',
  async begin({ meters }) {
    const started = new Map<string, number>();
    for (const meter of meters.values()) started.set(meter.service, (await meter.read()).startedAt);
    return async () => {
      const findings: string[] = [];
      for (const meter of meters.values()) {
        const reading = await meter.read().catch(() => undefined);
        if (reading?.startedAt !== started.get(meter.service)) findings.push(`${meter.service} died`);
      }
      return findings;
    };
  },
};
