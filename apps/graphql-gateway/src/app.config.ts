// Every setting of the gateway. Nothing else reads the environment.
import {
  bool,
  choice,
  configClass,
  databaseSettings,
  httpsOnly,
  integer,
  openApiSettings,
  secret,
  secretUrl,
  serviceTokenSettings,
  str,
  url,
} from '@tradewind/service-kit';

export class AppConfig extends configClass({
  ...databaseSettings({ schema: 'graphql_gateway' }),
  ...serviceTokenSettings,
  ...openApiSettings,
  OAUTH_ISSUER: url({
    desc: 'Issuer of the identity service; `iss` and `aud` of the JWTs that create API keys',
    example: 'https://id.example.com',
    productionRule: httpsOnly,
  }),
  IDENTITY_URL: url({
    desc: 'Address of the identity service as the gateway reaches it (/auth/login, /oauth/jwks); the issuer unless set',
    default: undefined,
    example: 'http://identity:4000',
  }),
  // 5 s: a person waits for the log-in, and argon2id takes well under one.
  IDENTITY_TIMEOUT_MS: integer({ desc: 'Longest wait for the identity service, milliseconds', default: 5000, min: 1 }),
  SERVICE_TOKEN: secret({
    devDefault: 'dev-only-service-token',
    desc: 'Service token that this service presents to identity, which reports whose API keys end',
  }),
  // Keys end within this time and KEY_CACHE_MS after the change at identity; 60 s are promised.
  CREDENTIAL_CHANGES_INTERVAL_MS: integer({
    desc: 'How often identity is asked whose credentials ended, milliseconds',
    default: 5000,
    min: 10,
    max: 30_000,
  }),
  // Nothing else bounds how long an accepted request waits. The median of a full route is this number divided by the
  // rate of its answers. The p99 is twice as much, since a page with a count waits for a connection more than once. So
  // 150 keep the p99 within 1 s down to 300 pages a second. Not lower: a user may send more than the 100 requests of a
  // minute at once. The answer then names that limit (429), and does not say that the service is full.
  ROUTE_REQUESTS_MAX: integer({
    desc: 'Requests of one route that one process works on at once; further ones are answered with 503 and Retry-After',
    default: 150,
    min: 1,
  }),
  DATA_CALLS_PER_DAY: integer({ desc: 'Data calls of one user in one UTC day', default: 10, min: 1 }),
  REQUESTS_PER_MINUTE: integer({
    desc: 'Other requests in 60 seconds, of one user (production: also of one IPv4 address or IPv6 /64)',
    default: 100,
    min: 1,
  }),
  DATA_PAGE_SIZE: integer({ desc: 'Records of one page of a connection', default: 1, min: 1, max: 1000 }),
  DATA_DATABASE_URL: secretUrl({
    desc: 'Database of the data tables, such as a read replica; DATABASE_URL unless set',
    default: undefined,
    example: 'postgres://gateway@replica:5432/tradewind',
  }),
  // A page needs one connection for a few milliseconds, a count a second one.
  DATA_POOL_SIZE: integer({
    desc: 'Connections to the data tables of one replica, four of them for statements whose plans PostgreSQL keeps',
    default: 10,
    min: 6,
  }),
  // A slow statement keeps a processor of the database busy, and the pods share it.
  DATA_SLOW_STATEMENTS_MAX: integer({
    desc: 'Slow pages and counts that one replica runs in PostgreSQL at once. Further ones wait for at most DATABASE_CONNECTION_TIMEOUT_MS; then they are answered with 503 and Retry-After',
    default: 2,
    min: 1,
  }),
  DATA_STATEMENT_TIMEOUT_MS: integer({
    desc: 'Longest run of one statement on the data tables, milliseconds; then the request is answered with 504',
    default: 5000,
    min: 1,
  }),
  REPEATED_REQUESTS: bool({
    desc: 'Whether a request for a document that was answered before goes past Apollo Server, which makes small pages faster; the answers are the same',
    default: true,
  }),
  FILTER_ENGINE: choice(['postgres', 'embedded', 'opensearch', 'auto'], {
    desc: 'What finds the records of a filter. `postgres`: PostgreSQL. `embedded`: an index in the memory of the process. `opensearch`: an index in OpenSearch, which `index follow` feeds. `auto`: the index in memory for tables of 200,000 rows or more, else PostgreSQL. An index counts exactly in milliseconds at millions of rows. The answers are the same, and PostgreSQL answers what an index cannot',
    default: 'auto',
  }),
  // A table that does not fit is left to PostgreSQL. A build takes about as much again, beside the index in use.
  FILTER_ENGINE_MEMORY_MAX_MB: integer({
    desc: 'Most memory of the index in memory of one process, all entities and builds included, MiB. It takes at most a third of the memory of the container or machine. A table that does not fit is left to PostgreSQL',
    default: 2048,
    min: 1,
  }),
  FILTER_ENGINE_REFRESH_MS: integer({
    desc: 'How often the engine looks for changed records, milliseconds; a request that finds it behind makes it look at once',
    default: 1000,
    min: 10,
  }),
  OPENSEARCH_URL: secretUrl({
    desc: 'Address of the OpenSearch cluster that holds the index of records, with user and password if it wants them',
    default: undefined,
    example: 'https://opensearch:9200',
    productionRule: httpsOnly,
    requiredWhen: (values) => values['FILTER_ENGINE'] === 'opensearch',
  }),
  OPENSEARCH_USER: str({ desc: 'User of the cluster; OPENSEARCH_URL may hold it instead', default: undefined }),
  OPENSEARCH_PASSWORD: secret({ desc: 'Password of OPENSEARCH_USER', default: undefined }),
  OPENSEARCH_CA_FILE: str({
    desc: 'PEM file of the authority that signed the certificate of the cluster; those of the system unless set',
    default: undefined,
    example: '/etc/opensearch/ca.crt',
  }),
  // Pages and counts take 5 to 40 ms at a million records of an entity. At ten million they take up to half a second,
  // longer when many search.
  OPENSEARCH_TIMEOUT_MS: integer({
    desc: 'Longest wait for one search, milliseconds; then PostgreSQL answers it',
    default: 5000,
    min: 1,
  }),
  OPENSEARCH_POLL_TIMEOUT_MS: integer({
    desc: 'Longest wait for a poll of the cluster, milliseconds; then PostgreSQL answers until a poll is answered',
    default: 1000,
    min: 1,
  }),
  OPENSEARCH_PREFIX: str({
    desc: 'Beginning of the names of its indexes: small letters, digits, `-` and `_`',
    default: 'tradewind',
    // The cluster takes no other names, and `*` would stand for the indexes of others.
    pattern: /^[a-z0-9][a-z0-9_-]{0,99}$/,
  }),
  // One shard holds some 10 million records.
  OPENSEARCH_SHARDS: integer({ desc: 'Shards of the next index that is built', default: 1, min: 1, max: 1000 }),
  OPENSEARCH_REPLICAS: integer({
    desc: 'Copies of each shard beside the first, for when a node is lost; 0 on a single node',
    default: 1,
    min: 0,
    max: 10,
  }),
  KEY_CACHE_MS: integer({
    desc: 'How long the gateway trusts its memory of an API key or access token, milliseconds; a revoked one works at most this long',
    default: 5000,
    min: 0,
    max: 5000,
  }),
  REFUSED_KEYS_PER_MINUTE: integer({
    desc: 'API keys and JWTs of one network (IPv4 address, IPv6 /64) that may be refused in 60 seconds, for each replica. Further ones get 429 before they are checked',
    default: 300,
    min: 1,
  }),
  // A key lives 12 months at most, so its audit trail is whole while it lives.
  KEY_AUDIT_RETENTION_MONTHS: integer({
    desc: 'Full months before the current one for which the audit log of API keys is kept',
    default: 13,
    min: 1,
    max: 1200,
  }),
  EXPLORER: bool({
    desc: 'Whether GET /explorer serves the GraphiQL page',
    default: true,
    defaultIn: { production: false },
  }),
}) {}
