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
  audit_entries_lost: {
    help: 'Audit entries given up because the database was away for too long',
    labels: ['reason'],
    level: 'error',
  },
  data_store_failed: { help: 'Statements on the data tables that failed', labels: ['reason'], level: 'warn' },
}) {}
