import { Module, type DynamicModule } from '@nestjs/common';
import { BackgroundWork } from './background-work.js';
import { ServiceConfig } from './config/config-class.js';
import type { ServiceDefinition } from './define-service.js';
import { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { ReadinessRegistry } from './readiness.js';
import { ServiceName } from './service-name.js';

/** What every provider of a service can inject. */
export interface KitParts<C extends ServiceConfig> {
  config: C;
  logger: Logger;
  metrics: Metrics;
  readiness: ReadinessRegistry;
  background: BackgroundWork;
}

@Module({})
class KitModule {}

@Module({})
class ServiceRootModule {}

/** The app's root module with the kit's providers around it. */
export async function serviceModule<C extends ServiceConfig>(
  service: ServiceDefinition<C>,
  parts: KitParts<C>,
): Promise<DynamicModule> {
  const providers = [
    { provide: ServiceConfig, useValue: parts.config },
    { provide: service.config, useValue: parts.config },
    { provide: ServiceName, useValue: new ServiceName(service.name) },
    { provide: Logger, useValue: parts.logger },
    { provide: Metrics, useValue: parts.metrics },
    { provide: ReadinessRegistry, useValue: parts.readiness },
    { provide: BackgroundWork, useValue: parts.background },
  ];
  const kit = { module: KitModule, global: true, providers, exports: providers.map(({ provide }) => provide) };
  return { module: ServiceRootModule, imports: [kit, await rootModule(service, parts.config)] };
}

async function rootModule<C extends ServiceConfig>(service: ServiceDefinition<C>, config: C) {
  // A module class has Nest's metadata; a plain function makes a module.
  const isClass = Reflect.getMetadataKeys(service.module).length > 0;
  if (isClass) return service.module as new () => unknown;
  return (service.module as (config: C) => DynamicModule | Promise<DynamicModule>)(config);
}
