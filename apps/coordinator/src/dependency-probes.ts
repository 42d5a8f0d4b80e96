import { Injectable } from '@nestjs/common';
import { Queue, Warehouse } from '@tradewind/cloud-ports';
import { ReadinessRegistry } from '@tradewind/service-kit';

/** The dependencies that `GET /ready` checks in addition to the database. */
@Injectable()
export class DependencyProbes {
  constructor(readiness: ReadinessRegistry, warehouse: Warehouse, queue: Queue) {
    readiness.add({
      name: 'warehouse',
      probe: () => warehouse.ping(),
      isEssential: false,
      why: 'a run stops while it selects people and is resumed later; reports work',
    });
    readiness.add({
      name: 'queue',
      probe: () => queue.ping(),
      isEssential: false,
      why: 'a run stops while it publishes and is resumed later; reports work',
    });
  }
}
