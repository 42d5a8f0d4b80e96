// The settings that every service has. A setting of an app with the same name replaces the one here.
import { bool, choice, environments, integer, origins, str, trustedProxies, url } from '@tradewind/shared-types';

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
  // A pod that answers 1,000 requests a second works this off in half a second. Slower routes get fewer.
  ROUTE_REQUESTS_MAX: integer({
    desc: 'Requests of one route that one process works on at once; further ones are answered with 503 and Retry-After',
    default: 500,
    min: 1,
  }),
  // Hops count from the right, where the connection comes from. Google's load balancer adds "client, balancer" to
  // X-Forwarded-For and counts twice; most others add only the client.
  TRUST_PROXY: trustedProxies({
    desc: 'Proxies whose X-Forwarded headers are believed: false, a number of hops (2 behind the load balancer of Google Cloud), addresses or networks separated by commas, or true. True believes everybody and is refused in production',
    default: 'false',
    productionRule: (value) =>
      value === 'true'
        ? 'must not be true in production: everybody could name an address; give the number of proxies, or their networks'
        : undefined,
  }),
  CORS_ORIGINS: origins({
    desc: 'Origins whose pages may read answers of this service in a browser, such as that of the console, separated by commas',
    default: [],
    example: 'https://console.example.com',
    productionRule: (values) =>
      values.every((value) => value.startsWith('https://')) ? undefined : 'must all start with https://',
  }),
  // Google's load balancers keep a connection for 600 s. The service must not close it first: a request that is just
  // arriving would get a 502.
  KEEP_ALIVE_TIMEOUT_MS: integer({
    desc: 'How long an idle connection is kept open, milliseconds; must be longer than the load balancer keeps it',
    default: 620_000,
    min: 1,
  }),
  // A load balancer may send requests to a pod that stops for up to 15 s.
  DRAIN_DELAY_MS: integer({
    desc: 'How long the service still serves after the stop signal, without being ready, until load balancers have noticed, milliseconds',
    default: 20_000,
    defaultIn: { dev: 0 },
    min: 0,
  }),
  // The platform promises to stop within 10 s on a developer's machine; two seconds are left for the report.
  SHUTDOWN_TIMEOUT_MS: integer({
    desc: 'Longest time from the end of DRAIN_DELAY_MS to the end of the process, milliseconds',
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
