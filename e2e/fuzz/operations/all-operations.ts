import type { ServiceName } from '../../src/service-names.js';
import type { Target } from '../../src/target.types.js';
import { operationsOfOpenApi } from './from-openapi.js';
import { operationsOfGraphql } from './graphql.js';
import { operationsOfIdentity } from './identity.js';
import type { Operation } from './operation.types.js';

export function operationsOf(service: ServiceName, target: Target): Operation[] {
  switch (service) {
    case 'identity':
      return operationsOfIdentity(target);
    case 'graphql-gateway':
      return [...operationsOfGraphql(target), ...operationsOfOpenApi(service, target)];
    default:
      return operationsOfOpenApi(service, target);
  }
}
