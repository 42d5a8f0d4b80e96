import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { ReadinessRegistry } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';

/** What `GET /ready` asks besides the database. */
@Injectable()
export class DependencyProbes {
  constructor(readiness: ReadinessRegistry, warehouse: Warehouse, objects: ObjectStore, config: AppConfig) {
    readiness.add('warehouse', () => warehouse.ping());
    readiness.add('object_store', () => objects.assertWritable(config.OBJECT_STORE_BUCKET));
  }
}
