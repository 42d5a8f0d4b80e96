// The business events of the gateway: each call feeds log and counter together.
import { Injectable } from '@nestjs/common';
import { eventsClass } from '@tradewind/service-kit';

@Injectable()
export class AppEvents extends eventsClass('graphql-gateway', {
  operation_done: {
    help: 'GraphQL operations answered, by endpoint and HTTP status',
    labels: ['endpoint', 'status'],
    histogram: { field: 'seconds', buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] },
    level: 'debug',
  },
  limit_reached: { help: 'Requests refused because a limit was reached', labels: ['policy'] },
  audit_month_dropped: { help: 'Months of the audit log that were dropped because of their age' },
  token_unchecked: {
    help: 'Access tokens that were good by their signature alone, because identity did not answer',
  },
  key_ended: { help: 'API keys that ended with the credentials of their user' },
  credential_changes_unread: {
    help: 'Times that identity did not say whose credentials ended',
    level: 'warn',
  },
  audit_entries_lost: {
    help: 'Audit entries dropped because the database was away for too long',
    labels: ['reason'],
    level: 'error',
  },
  page_read: {
    help: 'Pages read while a filter engine is on, by where the answer came from and why',
    labels: ['source', 'reason'],
    level: 'debug',
  },
  filter_engine_failed: {
    help: 'Searches that the filter engine could not end because of a fault',
    labels: ['engine', 'entity'],
    level: 'error',
  },
  filter_index_built: {
    help: 'Builds of an index of the filter engine in memory',
    labels: ['entity'],
    histogram: { field: 'seconds', buckets: [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500] },
  },
  filter_index_lost: { help: 'Times the data changed too much for a filter engine to follow', labels: ['entity'] },
  filter_index_failed: {
    help: 'Builds of an index in memory that were given up',
    labels: ['entity', 'reason'],
    level: 'warn',
  },
  filter_index_wrong: {
    help: 'Times a filter engine named rows that are not there, or not in the answer',
    labels: ['entity'],
    level: 'error',
  },
  search_index_unreachable: {
    help: 'Times that OpenSearch ceased to answer what it holds',
    labels: ['entity'],
    level: 'warn',
  },
  search_index_leading: { help: 'Times this process began to feed an index in OpenSearch', labels: ['entity'] },
  search_index_building: {
    help: 'Builds of an index in OpenSearch that the changes required',
    labels: ['entity'],
    level: 'warn',
  },
  search_index_failed: {
    help: 'Times that an index in OpenSearch could not be fed',
    labels: ['entity'],
    level: 'warn',
  },
  search_index_compared: {
    help: 'Records of an index in OpenSearch that were compared with PostgreSQL',
    labels: ['entity'],
    countedBy: 'records',
  },
  search_index_differed: {
    help: 'Records of an index in OpenSearch that differed from PostgreSQL, and were repaired',
    labels: ['entity'],
    countedBy: 'records',
    level: 'error',
  },
  data_statement_refused: {
    help: 'Pages and counts that were answered 503 because too many statements were under way',
    labels: ['pace'],
    level: 'warn',
  },
  data_store_failed: { help: 'Statements on the data tables that failed', labels: ['reason'], level: 'warn' },
}) {}
