import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { ReadinessRegistry } from '@tradewind/service-kit';

/** What `GET /ready` asks besides the database. */
@Injectable()
export class DependencyProbes {
  constructor(readiness: ReadinessRegistry, warehouse: Warehouse, objects: ObjectStore) {
    readiness.add('warehouse', () => warehouse.ping());
    readiness.add('object_store', () => objects.ping());
  }
}
