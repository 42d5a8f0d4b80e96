import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { ReadinessRegistry } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';

/** The dependencies that `GET /ready` checks in addition to the database. */
@Injectable()
export class DependencyProbes {
  constructor(readiness: ReadinessRegistry, warehouse: Warehouse, objects: ObjectStore, config: AppConfig) {
    readiness.add({
      name: 'warehouse',
      probe: () => warehouse.ping(),
      isEssential: false,
      why: 'profiles are kept in the inbox and stored later',
    });
    readiness.add({
      name: 'object_store',
      probe: () => objects.assertWritable(config.OBJECT_STORE_BUCKET),
      isEssential: false,
      why: 'profiles are kept in the inbox and backed up later',
    });
  }
}
