import { asRequest, samplesOf } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

/** What the OpenAPI documents and the GraphQL schemas allow, and values close to it. */
export const documented: HostileClass = {
  name: 'documented',
  isRefused: false,
  weight: 3,
  requests: (_service, { operations }) => samplesOf(operations).map(asRequest),
};
