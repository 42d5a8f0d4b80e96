import type { INestApplicationContext } from '@nestjs/common';
import type { ServiceDefinition } from '@tradewind/service-kit';

/** commander's Command, as service-kit passes it. */
export type Program = Parameters<NonNullable<ServiceDefinition['commands']>>[0];

/** Opens the service without its endpoints. */
export type Open = () => Promise<INestApplicationContext>;
