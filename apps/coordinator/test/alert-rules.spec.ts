// An alert on a metric that nobody exports never fires. Read as text: the other two apps cannot be imported from here.
import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const rules = readFileSync(join(root, 'deploy/alerts/priority-pipeline.rules.yaml'), 'utf8');
const runbook = readFileSync(join(root, 'docs/runbooks/priority-pipeline.md'), 'utf8');

function exportedMetrics(app: string): Set<string> {
  const source = join(root, 'apps', app, 'src');
  const prefix = `tradewind_${app.replaceAll('-', '_')}_`;
  const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'));
  const events = [...readFileSync(join(source, 'events.ts'), 'utf8').matchAll(/^ {2}(\w+): \{/gm)].map(
    ([, name]) => `${prefix}${name}_total`,
  );
  const gauges = texts.flatMap((text) =>
    [...text.matchAll(/\.gauge\(\s*'(\w+)'/g)].map(([, name]) => `${prefix}${name}`),
  );
  return new Set([...events, ...gauges]);
}

describe('deploy/alerts/priority-pipeline.rules.yaml', () => {
  const used = new Set(rules.match(/tradewind_\w+/g));

  it('uses only metrics that the services export', () => {
    const exported = new Set(
      ['coordinator', 'priority-api', 'priority-webhook'].flatMap((app) => [...exportedMetrics(app)]),
    );
    expect(exported).toContain('tradewind_priority_api_oldest_undelivered_profile_seconds');
    expect([...used].filter((metric) => !exported.has(metric))).toEqual([]);
    expect(used.size).toBeGreaterThan(8);
  });

  it('points to chapters that the runbook has', () => {
    const chapters = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
    const linked = [...rules.matchAll(/runbook: docs\/runbooks\/priority-pipeline\.md#(\S+)/g)].map(
      ([, anchor]) => anchor!,
    );
    expect(linked.length).toBe(rules.match(/- alert:/g)!.length);
    expect(linked.filter((anchor) => !chapters.includes(anchor))).toEqual([]);
  });
});
