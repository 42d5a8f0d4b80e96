import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Command } from 'commander';
import type { ServiceConfig, Settings } from './config/config-class.js';
import type { FrontPage } from './pages/front-page.js';

export type { Command };

/** What makes a service: `main.ts` and the tests start the same definition. */
export interface ServiceDefinition<C extends ServiceConfig = ServiceConfig> {
  /** As `/health` reports it. */
  name: string;
  config: { new (env?: Record<string, string | undefined>): C; readonly settings: Settings };
  /** The root module, or a function that makes it. */
  module: Type | ((config: C) => DynamicModule | Promise<DynamicModule>);
  /**
   * Whether other services call it inside the cluster, over plain http and without a proxy. Production refuses such
   * calls where it is false. Default: true.
   */
  isCalledInside?: boolean;
  /** What a browser gets at `GET /`. Not for an app that has a route there. */
  frontPage?: (config: C) => FrontPage;
  /** Before the app is initialized: middleware, content type parsers, hooks. */
  configure?: (app: NestFastifyApplication, config: C) => void | Promise<void>;
  /** The command `migrate`. A start runs it too, unless MIGRATE_ON_START is false. */
  migrate?: (config: C) => Promise<unknown>;
  /**
   * Sets up what the service can start without, such as the tables of the embedded warehouse. Runs after `migrate`. A
   * failure ends the command; a start goes on and tries again in the background.
   */
  prepare?: (config: C) => Promise<unknown>;
  /** Called once the service serves in a process of its own. */
  onServing?: () => void;
  /** Adds operator commands. `open` returns the app without HTTP, which is closed when the command ends. */
  commands?: (program: Command, open: () => Promise<INestApplicationContext>) => void;
}

/** Describes a service for `startService`, `runService` and the documentation. */
export function defineService<C extends ServiceConfig>(definition: ServiceDefinition<C>): ServiceDefinition<C> {
  return definition;
}
