// What every service can be told, whatever it does. An app's own setting of the same name replaces the one here.
import { environments } from '@tradewind/shared-types';
import { bool, choice, integer, str, url } from './settings.js';

export const baseSettings = {
  ENVIRONMENT: choice(environments, { desc: 'Where this deployment runs; decides limits and what counts as unsafe' }),
  HOST: str({
    desc: 'Address to listen on; 127.0.0.1 in dev and every address otherwise, unless set',
    default: undefined,
  }),
  PORT: integer({ desc: 'Port of the service; 0 takes any free one', default: 8080, min: 0, max: 65_535 }),
  METRICS_PORT: integer({
    desc: 'Port of the Prometheus metrics, never public; PORT + 1000 unless set',
    default: undefined,
    min: 0,
    max: 65_535,
  }),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    desc: 'Least severe level that is logged',
    default: 'info',
  }),
  // 1 MiB: a full batch of targets or profiles is below 100 KiB.
  BODY_LIMIT_BYTES: integer({ desc: 'Largest request body, bytes', default: 1_048_576, min: 1 }),
  TRUST_PROXY: str({
    desc: 'Proxies whose X-Forwarded headers are believed: false, true, a number of hops, or addresses separated by commas',
    default: 'false',
  }),
  // Kubernetes kills after 30 s, the platform promises 10 s; two seconds remain to report.
  SHUTDOWN_TIMEOUT_MS: integer({
    desc: 'Longest time from the stop signal to the end, milliseconds',
    default: 8000,
    min: 0,
  }),
  MIGRATE_ON_START: bool({ desc: 'Whether the service migrates its database before it serves', default: true }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    desc: 'OpenTelemetry collector (OTLP over HTTP) that traces go to; none are made unless set',
    default: undefined,
    example: 'http://otel-collector:4318',
  }),
  SERVICE_VERSION: str({ desc: 'Version of this deployment, shown in logs and traces', default: 'development' }),
};
