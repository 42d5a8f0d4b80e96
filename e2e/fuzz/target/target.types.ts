// What the fuzzer knows of a platform: addresses, tokens, the database that it reads, and the log files.

export const serviceNames = [
  'identity',
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface Target {
  /** Base address of each service, without a slash at the end. A service without one is left out. */
  urls: Partial<Record<ServiceName, string>>;
  /** Base address of the metrics of each service; without it, nothing is said of its event loop and memory. */
  metricsUrls: Partial<Record<ServiceName, string>>;
  /** Absent: row counts are not compared. */
  databaseUrl?: string;
  /** Folder with a file `<service>.log` for each service. Absent: logs are not searched. */
  logsDir?: string;
  tokens: {
    /** API key of the data API. */
    apiKey: string;
    /** JWT of the direct login. */
    jwt: string;
    /** Secrets of the webhooks that ask for one. */
    webhooks: Partial<Record<ServiceName, string>>;
  };
}
