import type { Arbitrary } from 'fast-check';
import type { ServiceName } from '../../src/service-names.js';

/** A request that follows the documents of the service, as far as they say. */
export interface Sample {
  service: ServiceName;
  method: string;
  /** With names in braces for `params`. */
  path: string;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body?: unknown;
  /** How the body is sent; JSON unless given. */
  isForm?: boolean;
}

/** One operation of a service, and samples of its requests. */
export interface Operation {
  service: ServiceName;
  name: string;
  samples: Arbitrary<Sample>;
}
