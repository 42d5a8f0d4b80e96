// An alert or a panel on a metric that nobody exports never shows anything. Rules and dashboards are held to what the
// services' own code registers, and each alert to a chapter that says what to do.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { apps } from './dockerfiles.mjs';
import { businessMetrics, commonMetrics } from './service-metrics.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesOf = (folder: string, end: string) => readdirSync(join(root, folder)).filter((file) => file.endsWith(end));

/** Given by the scrape configuration, and by Prometheus to the buckets of a histogram. */
const targetLabels = ['job', 'service', 'namespace', 'environment', 'pod', 'le'];

interface Metric {
  name: string;
  type: string;
  labels: string[];
}

/** Names by which a metric is asked for, with the labels that it has. */
let exported: Map<string, string[]>;
let business: Map<string, Metric[]>;

beforeAll(async () => {
  business = new Map(
    await Promise.all(apps.map(async (app) => [app, (await businessMetrics(app)) as Metric[]] as const)),
  );
  exported = new Map([['up', []]]);
  const all = [...[...business.values()].flat(), ...((await commonMetrics()) as Metric[])];
  for (const { name, type, labels } of all) {
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) exported.set(name + end, labels);
  }
});

interface Use {
  metric: string;
  labels: string[];
  values: string[];
}

/** The metrics that a PromQL expression reads, with the labels it selects by and their literal values. */
function usesOf(expression: string): Use[] {
  return [...expression.matchAll(/\b([a-z_][a-z0-9_]*)(\{[^}]*\})?/g)]
    .filter(([, name, selector]) => selector || /^(up$|tradewind_|http_|process_|nodejs_)/.test(name!))
    .map(([, metric, selector = '']) => {
      const matchers = [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)];
      return {
        metric: metric!,
        labels: matchers.map(([, label]) => label!),
        values: matchers
          .filter(([, label]) => !targetLabels.includes(label!) && label !== 'status')
          .flatMap(([, , , value]) => value!.split('|')),
      };
    });
}

function expectKnown(expression: string): void {
  const uses = usesOf(expression);
  expect(uses.length).toBeGreaterThan(0);
  for (const { metric, labels } of uses) {
    expect([...exported.keys()]).toContain(metric);
    expect([...exported.get(metric)!, ...targetLabels]).toEqual(expect.arrayContaining(labels));
  }
}

const ruleFiles = filesOf('deploy/alerts', '.rules.yaml');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const rulesOf = (file: string): Rule[] =>
  (parse(read(`deploy/alerts/${file}`)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

describe.each(ruleFiles)('deploy/alerts/%s', (file) => {
  const rules = rulesOf(file);

  // `npm run check:alerts` runs them; promtool is not on every machine.
  it('has unit tests for every alert: when it fires, and when it does not', () => {
    const unitTests = parse(read(`deploy/alerts/${file.replace('.rules.', '.test.')}`)) as {
      rule_files: string[];
      tests: { input_series: { series: string }[]; alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
    };
    expect(unitTests.rule_files).toEqual([file]);
    const cases = unitTests.tests.flatMap(({ alert_rule_test: of }) => of);
    for (const { alert } of rules) {
      const expected = cases
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts: alerts }) => alerts.length);
      expect({ alert, fires: expected.some((count) => count > 0) }).toEqual({ alert, fires: true });
      expect({ alert, isQuiet: expected.includes(0) }).toEqual({ alert, isQuiet: true });
    }
    expect(cases.filter(({ alertname }) => !rules.some(({ alert }) => alert === alertname))).toEqual([]);
    // What they feed the rules with is what services export.
    for (const { series } of unitTests.tests.flatMap(({ input_series: input }) => input)) expectKnown(series);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s asks for what is exported', (_name, { expr }) => {
    expectKnown(expr);
    const code = apps.map((app) => sourceOf(app)).join('\n');
    for (const value of usesOf(expr).flatMap(({ values }) => values)) {
      // The label values that an alert waits for are written somewhere in the services, or are a boolean or a route.
      if (!['true', 'false'].includes(value)) expect(code).toContain(`'${value}'`);
    }
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says how urgent it is and what to do',
    (_name, rule) => {
      expect(['page', 'ticket']).toContain(rule.labels.severity);
      expect(rule.annotations.summary).not.toBe('');
      const [page, anchor] = rule.annotations.runbook.split('#') as [string, string];
      expect(existsSync(join(root, page))).toBe(true);
      const chapters = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) =>
        title!.toLowerCase().replaceAll(' ', '-'),
      );
      expect(chapters).toContain(anchor);
    },
  );
});

function sourceOf(app: string): string {
  const folders = [join(root, 'apps', app, 'src'), join(root, 'libs/scraping-provider/src')];
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    )
    .join('\n');
}

describe('alert rules', () => {
  it('cover every service, with the common alerts and its own', () => {
    const text = ruleFiles.map((file) => read(`deploy/alerts/${file}`)).join('\n');
    for (const app of apps) expect(text).toContain(`tradewind_${app.replaceAll('-', '_')}_`);
    expect(ruleFiles).toContain('every-service.rules.yaml');
    const names = [...text.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('fire when any service is gone', () => {
    const rules = ruleFiles.flatMap((file) => rulesOf(file));
    const { expr } = rules.find(({ alert }) => alert === 'ServiceDown')!;
    const named = [...expr.matchAll(/absent_over_time\(up\{[^}]*service="([\w-]+)"/g)].map(([, service]) => service);
    expect(named.sort()).toEqual([...apps].sort());
  });

  it('use only labels that the scrape configuration sets', () => {
    const { rule_files: taken, scrape_configs: jobs } = parse(read('deploy/alerts/prometheus.yaml')) as {
      rule_files: string[];
      scrape_configs: { job_name: string; relabel_configs: { target_label?: string }[] }[];
    };
    expect(taken).toEqual(['*.rules.yaml']);
    expect(jobs.map(({ job_name: name }) => name)).toEqual(['tradewind']);
    expect(jobs[0]!.relabel_configs.flatMap(({ target_label: label }) => label ?? [])).toEqual([
      'service',
      'namespace',
      'environment',
      'pod',
    ]);
  });
});

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

describe.each([...apps, 'platform'])('the dashboard of %s', (name) => {
  const { uid, panels } = JSON.parse(read(`deploy/dashboards/${name}.json`)) as { uid: string; panels: Panel[] };
  const expressions = panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr));

  it('asks for what is exported', () => {
    for (const expression of expressions) expectKnown(expression);
  });

  it('shows everything that the service counts', () => {
    const used = expressions.flatMap((expression) => usesOf(expression).map(({ metric }) => metric));
    const wanted =
      name === 'platform' ? [...business.values()].flat().filter(({ type }) => type === 'gauge') : business.get(name)!;
    expect(wanted.length).toBeGreaterThan(0);
    for (const metric of wanted)
      expect(used).toContain(metric.type === 'histogram' ? `${metric.name}_bucket` : metric.name);
  });

  it('has a name and a position for each panel', () => {
    expect(uid).toBe(`tradewind-${name}`);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});
