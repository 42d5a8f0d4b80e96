import type { Migration } from '@tradewind/service-kit';

/** Requests for a key that had an Idempotency-Key, so that the same request again gets the same key. */
export const keyRequests: Migration = {
  name: '0016-key-requests',
  up: `
  create table key_request (
    user_id uuid not null,
    -- SHA-256 of the Idempotency-Key.
    request_hash bytea not null,
    -- SHA-256 of what was asked for.
    content_hash bytea not null,
    -- The API key, encrypted with the Idempotency-Key, which is not stored.
    sealed_key bytea not null,
    ends_at timestamptz(3) not null,
    primary key (user_id, request_hash)
  );
  create index key_request_end on key_request (ends_at);`,
};
