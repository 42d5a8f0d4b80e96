import { Injectable } from '@nestjs/common';
import { Queue, Warehouse } from '@tradewind/cloud-ports';
import { ReadinessRegistry } from '@tradewind/service-kit';

/** What `GET /ready` asks besides the database. */
@Injectable()
export class DependencyProbes {
  constructor(readiness: ReadinessRegistry, warehouse: Warehouse, queue: Queue) {
    readiness.add('warehouse', () => warehouse.ping());
    readiness.add('queue', () => queue.ping());
  }
}
