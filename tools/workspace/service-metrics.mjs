// The metrics that each service exports, read from the code that makes them. Importing it needs TypeScript hooks, or
// Jest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackgroundWork, createLogger, Metrics } from '@tradewind/service-kit';
import { root } from './projects.mjs';

/**
 * @typedef {{name: string, help: string, type: 'counter' | 'gauge' | 'histogram', labels: string[]}} ServiceMetric
 */

/**
 * What an app counts apart from requests: its events and the gauges that its code registers.
 * @returns {Promise<ServiceMetric[]>}
 */
export async function businessMetrics(app) {
  const { AppEvents } = await import(join(root, 'apps', app, 'src/events.ts'));
  const metrics = new Metrics();
  const common = new Set(metrics.registry.getMetricsAsArray().map(({ name }) => name));
  new AppEvents(createLogger({ service: app, version: '', level: 'fatal' }), metrics);
  return [...described(metrics).filter(({ name }) => !common.has(name)), ...gauges(app)];
}

/** What every service exports: requests, background work, and the figures of the process. */
export async function commonMetrics() {
  const metrics = new Metrics();
  new BackgroundWork(createLogger({ service: 'any', version: '', level: 'fatal' }), metrics, 0);
  const text = await metrics.text();
  const ofProcess = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)/gm)].map(([, name, help, type]) => ({
    name,
    help,
    type,
    labels: ['type', 'kind', 'space', 'version', 'major', 'minor', 'patch'],
  }));
  const own = described(metrics);
  return [...own, ...ofProcess.filter(({ name }) => !own.some((metric) => metric.name === name))];
}

function described(metrics) {
  return metrics.registry.getMetricsAsArray().map((metric) => ({
    name: metric.name,
    help: metric.help,
    type: metric.constructor.name.toLowerCase(),
    labels: [...metric.labelNames],
  }));
}

/** Gauges are registered by the services that can read them; their names stand in the code as plain text. */
function gauges(app) {
  const source = join(root, 'apps', app, 'src');
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .sort()
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/\.gauge\(\s*'(\w+)',\s*'([^']+)'/g)])
    .map(([, name, help]) => ({
      name: `tradewind_${app.replaceAll('-', '_')}_${name}`,
      help,
      type: 'gauge',
      labels: [],
    }));
}
