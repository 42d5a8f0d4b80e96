/**
 * The warehouse tables and the meaning of their columns. Both implementations create their tables from this file. All
 * are append-only and partitioned by day of `ingested_at`. `row_id` is deterministic, so that repeats are recognised.
 */
export type ColumnType = 'string' | 'integer' | 'boolean' | 'timestamp' | 'json';

export interface Column {
  type: ColumnType;
  nullable?: boolean;
  description: string;
}

/** Columns of every row that a scraping run produced. */
const runColumns = {
  row_id: { type: 'string', description: 'SHA-256 of run id, kind and item id, in hex' },
  provider_run_id: { type: 'string', description: 'Run of the provider that found the item' },
  user_company_id: { type: 'string', description: 'Company that asked for the run' },
  network_username: { type: 'string', description: 'Handle of the scraped person or company' },
  entity_type: { type: 'string', description: 'PERSON or COMPANY' },
} as const satisfies Record<string, Column>;

const storedColumns = {
  raw: { type: 'json', description: 'The item as the provider sent it' },
  ingested_at: { type: 'timestamp', description: 'When the row was written' },
} as const satisfies Record<string, Column>;

export const warehouseTables = {
  network_posts: {
    ...runColumns,
    post_id: { type: 'string', description: 'Id of the post in the network' },
    url: { type: 'string', nullable: true, description: 'Address of the post' },
    content: { type: 'string', nullable: true, description: 'Text of the post' },
    author_id: { type: 'string', nullable: true, description: 'Public handle of the author' },
    author_name: { type: 'string', nullable: true, description: 'Name of the author' },
    author_type: { type: 'string', nullable: true, description: 'profile or company' },
    author_url: { type: 'string', nullable: true, description: 'Profile address of the author' },
    posted_at: { type: 'timestamp', nullable: true, description: 'When it was posted' },
    is_repost: { type: 'boolean', description: 'Whether it repeats another post' },
    repost_id: { type: 'string', nullable: true, description: 'Id of the repeated post' },
    reposted_by: { type: 'string', nullable: true, description: 'Handle of who repeated it' },
    likes: { type: 'integer', nullable: true, description: 'Likes at the time of the run' },
    comments: { type: 'integer', nullable: true, description: 'Comments at the time of the run' },
    shares: { type: 'integer', nullable: true, description: 'Shares at the time of the run' },
    reaction_counts: { type: 'json', nullable: true, description: 'List of {type, count}' },
    media: { type: 'json', nullable: true, description: 'Images, document and article; their addresses expire' },
    ...storedColumns,
  },
  network_post_comments: {
    ...runColumns,
    comment_id: { type: 'string', description: 'Id of the comment in the network' },
    post_id: { type: 'string', nullable: true, description: 'Id of the post it belongs to' },
    url: { type: 'string', nullable: true, description: 'Address of the comment' },
    text: { type: 'string', nullable: true, description: 'Text of the comment' },
    author_id: { type: 'string', nullable: true, description: 'Id of the author' },
    author_name: { type: 'string', nullable: true, description: 'Name of the author' },
    author_url: { type: 'string', nullable: true, description: 'Profile address of the author' },
    author_position: { type: 'string', nullable: true, description: 'Headline of the author' },
    is_post_author: { type: 'boolean', nullable: true, description: 'Whether the author of the post wrote it' },
    created_at: { type: 'timestamp', nullable: true, description: 'When it was written' },
    reply_count: { type: 'integer', nullable: true, description: 'Replies at the time of the run' },
    reaction_counts: { type: 'json', nullable: true, description: 'List of {type, count}' },
    pinned: { type: 'boolean', nullable: true, description: 'Whether it is pinned' },
    edited: { type: 'boolean', nullable: true, description: 'Whether it was edited' },
    ...storedColumns,
  },
  network_post_reactions: {
    ...runColumns,
    reaction_id: { type: 'string', description: 'Id of the reaction in the network' },
    post_id: { type: 'string', nullable: true, description: 'Id of the post it belongs to' },
    reaction_type: {
      type: 'string',
      nullable: true,
      description: 'LIKE, APPRECIATION, EMPATHY, PRAISE, INTEREST, ENTERTAINMENT',
    },
    actor_id: { type: 'string', nullable: true, description: 'Id of who reacted' },
    actor_name: { type: 'string', nullable: true, description: 'Name of who reacted' },
    actor_url: { type: 'string', nullable: true, description: 'Profile address of who reacted' },
    actor_position: { type: 'string', nullable: true, description: 'Headline of who reacted' },
    ...storedColumns,
  },
  scraped_profile_calls: {
    row_id: { type: 'string', description: 'Deterministic id of the delivery' },
    requestResource: { type: 'string', description: 'Profile username' },
    requestType: { type: 'string', description: 'SCRAPER_API_PERSON' },
    requestDate: { type: 'timestamp', description: 'When the profile was scraped' },
    requestStatus: { type: 'string', description: 'SUCCESS or FAILED' },
    responseData: { type: 'json', description: 'The scraped profile, or what the provider said instead' },
    ingested_at: { type: 'timestamp', description: 'When the row was written' },
  },
  person_fields: {
    row_id: { type: 'string', description: 'Deterministic id of the row' },
    person_id: { type: 'string', description: 'UUID of the person' },
    isPriority: { type: 'boolean', description: 'Whether the monthly pipeline scrapes this person' },
    ingested_at: { type: 'timestamp', description: 'When the row was written' },
  },
  person_identifiers: {
    row_id: { type: 'string', description: 'Deterministic id of the row' },
    person_id: { type: 'string', description: 'UUID of the person' },
    identifierType: { type: 'string', description: 'Kind of identifier; NETWORK for the professional network' },
    identifierValue: { type: 'string', nullable: true, description: 'The username or handle' },
    ingested_at: { type: 'timestamp', description: 'When the row was written' },
  },
} as const satisfies Record<string, Record<string, Column>>;

export type WarehouseTable = keyof typeof warehouseTables;

/** The tables of what scraping runs found, and the column with the time of an item in the network, where it has one. */
export const runTables = {
  network_posts: 'posted_at',
  network_post_comments: 'created_at',
  network_post_reactions: undefined,
} as const satisfies Partial<Record<WarehouseTable, string | undefined>>;

export type RunTable = keyof typeof runTables;

interface ColumnValues {
  string: string;
  integer: number;
  boolean: boolean;
  timestamp: Date;
  json: unknown;
}

type ValueOf<C extends Column> = C extends { nullable: true }
  ? ColumnValues[C['type']] | null
  : ColumnValues[C['type']];

/** The row type of each table. */
export type WarehouseRows = {
  [T in WarehouseTable]: {
    [K in keyof (typeof warehouseTables)[T]]: (typeof warehouseTables)[T][K] extends Column
      ? ValueOf<(typeof warehouseTables)[T][K]>
      : never;
  };
};

/** A row as people read it: without its JSON, which has most of its size. */
export type RunItem<T extends RunTable> = Omit<WarehouseRows[T], 'raw' | 'media' | 'reaction_counts'>;
