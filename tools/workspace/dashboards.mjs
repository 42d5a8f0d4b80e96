// Grafana dashboards, one for each service and one for the platform, made from the metrics that the services export.
// A new event has its panel after the next `npm run gen`.
import { businessMetrics } from './service-metrics.mjs';

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;

/**
 * @param {{title: string, queries: [expr: string, legend: string][], unit?: string, width?: number, help?: string}} panel
 */
const timeSeries = ({ title, queries, unit = 'short', width = 8, help }) => ({
  type: 'timeseries',
  title,
  ...(help && { description: help }),
  datasource,
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    expr,
    legendFormat,
  })),
  gridPos: { w: width, h: 8 },
});

const row = (title) => ({ type: 'row', title, collapsed: false, panels: [], gridPos: { w: columns, h: 1 } });

/** Gives panels their places, left to right and top to bottom, and their numbers. */
function laidOut(panels) {
  let [x, y, height] = [0, 0, 0];
  return panels.map((panel, index) => {
    const { w, h } = panel.gridPos;
    if (x + w > columns) [x, y, height] = [0, y + height, 0];
    const placed = { id: index + 1, ...panel, gridPos: { x, y, w, h } };
    x += w;
    height = Math.max(height, h);
    return placed;
  });
}

const dashboard = (uid, title, panels) => ({
  uid,
  title,
  tags: ['tradewind'],
  schemaVersion: 39,
  editable: false,
  timezone: 'utc',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} }],
  },
  panels: laidOut(panels),
});

const quantile = (share, metric, by = '') =>
  `histogram_quantile(${share}, sum by (le${by}) (rate(${metric}[$__rate_interval])))`;

const quantiles = (metric) => [0.5, 0.95, 0.99].map((share) => [quantile(share, metric), `p${share * 100}`]);

const duration = 'http_server_request_duration_seconds';

function requestPanels(selector) {
  const rate = (by, filter = '') => `sum${by}(rate(${duration}_count{${selector}${filter}}[$__rate_interval]))`;
  const panel = (title, unit, queries) => timeSeries({ title, unit, queries });
  const byRoute = [quantile(0.99, `${duration}_bucket{${selector}}`, ', route'), '{{route}}'];
  return [
    panel('Requests by status', 'reqps', [[rate(' by (status) '), '{{status}}']]),
    panel('Time of a request', 's', quantiles(`${duration}_bucket{${selector}}`)),
    panel('Share of requests that failed here (5xx)', 'percentunit', [
      [`${rate('', ',status=~"5.."')} / ${rate('')}`, '5xx'],
    ]),
    panel('Requests by route', 'reqps', [[rate(' by (method, route) '), '{{method}} {{route}}']]),
    panel('p99 by route', 's', [byRoute]),
    panel('Requests refused because of overload', 'reqps', [
      [`sum by (route) (rate(http_server_requests_refused_total{${selector}}[$__rate_interval]))`, '{{route}}'],
    ]),
  ];
}

function processPanels(selector) {
  const panel = (title, unit, expr, help) => timeSeries({ title, unit, help, queries: [[expr, '{{pod}}']] });
  const cores = `rate(process_cpu_seconds_total{${selector}}[$__rate_interval])`;
  return [
    panel('Memory by pod', 'bytes', `process_resident_memory_bytes{${selector}}`, 'The limit of a pod is 512 MiB.'),
    panel('Processor by pod', 'percentunit', cores, '1 is one core, all that the JavaScript of a pod can use.'),
    panel('Event loop lag, p99, by pod', 's', `nodejs_eventloop_lag_p99_seconds{${selector}}`),
  ];
}

function backgroundPanels(selector) {
  const panel = (title, unit, expr, help) => timeSeries({ title, unit, help, queries: [[expr, '{{work}}']] });
  const passes = 'background_work_duration_seconds';
  const age = `max by (work) (time() - background_work_last_success_timestamp_seconds{${selector}})`;
  const failed = `sum by (work) (increase(${passes}_count{${selector},outcome="failed"}[1h]))`;
  return [
    panel('Time since the last success', 's', age, 'Of the pod whose work succeeded longest ago.'),
    panel('Time of a pass, p95', 's', quantile(0.95, `${passes}_bucket{${selector}}`, ', work')),
    panel('Failed passes, in an hour', 'short', failed),
  ];
}

const shortName = (app, name) =>
  name
    .replace(`tradewind_${app.replaceAll('-', '_')}_`, '')
    .replace(/_total$/, '')
    .replaceAll('_', ' ');

function businessPanel(app, { name, help, type, labels }) {
  const title = shortName(app, name);
  const unit = name.endsWith('_seconds') ? 's' : 'short';
  if (type === 'gauge') return timeSeries({ title, help, unit, queries: [[`max(${name})`, title]] });
  if (type === 'histogram') {
    return timeSeries({ title: `${title}, distribution`, help, unit, queries: quantiles(`${name}_bucket`) });
  }
  const by = labels.length > 0 ? ` by (${labels.join(', ')})` : '';
  const legend = labels.length > 0 ? labels.map((label) => `{{${label}}}`).join(' ') : title;
  const queries = [[`sum${by} (increase(${name}[1h]))`, legend]];
  return timeSeries({ title: `${title}, in an hour`, help, queries });
}

/** The dashboard of one service. */
export async function serviceDashboard(app) {
  const selector = `job="tradewind",service="${app}"`;
  return dashboard(`tradewind-${app}`, `Tradewind: ${app}`, [
    row('Requests'),
    ...requestPanels(selector),
    row('Process'),
    ...processPanels(selector),
    row('Background work'),
    ...backgroundPanels(selector),
    row('What the service does'),
    ...(await businessMetrics(app)).map((metric) => businessPanel(app, metric)),
  ]);
}

/** All services side by side, and what is waiting somewhere in the pipelines. */
export async function platformDashboard(apps) {
  const gauges = [];
  for (const app of apps) {
    const found = (await businessMetrics(app)).filter(({ type }) => type === 'gauge');
    gauges.push(
      ...found.map((metric) => ({ ...businessPanel(app, metric), title: `${app}: ${shortName(app, metric.name)}` })),
    );
  }
  const rate = (filter) => `sum by (service) (rate(${duration}_count{job="tradewind"${filter}}[$__rate_interval]))`;
  const byService = (title, unit, expr) => timeSeries({ title, unit, queries: [[expr, '{{service}}']] });
  return dashboard('tradewind-platform', 'Tradewind: platform', [
    row('Services'),
    byService('Pods that answer', 'short', 'sum by (service) (up{job="tradewind"})'),
    byService('Requests', 'reqps', rate('')),
    byService('Share of requests that failed (5xx)', 'percentunit', `${rate(',status=~"5.."')} / ${rate('')}`),
    byService('Time of a request, p99', 's', quantile(0.99, `${duration}_bucket{job="tradewind"}`, ', service')),
    byService('Largest pod', 'bytes', 'max by (service) (process_resident_memory_bytes{job="tradewind"})'),
    byService(
      'Longest event loop lag, p99',
      's',
      'max by (service) (nodejs_eventloop_lag_p99_seconds{job="tradewind"})',
    ),
    row('What waits'),
    ...gauges,
  ]);
}
