import type { RequestContext } from '../request/request-context.js';
import type { PreparedConnection } from './prepared-connection.js';
import type { RecordSource } from './record-source.js';

/**
 * A connection field of the schema as admission sees it. `prepare` understands the arguments and throws BAD_USER_INPUT
 * for faults in them; it is called for every executed field before a data call is charged.
 */
export abstract class ConnectionField {
  abstract readonly name: string;
  /** The records that it lists. */
  abstract readonly source: RecordSource;
  /** Arguments that must come from a variable of their own name. */
  abstract readonly variableArguments: readonly string[];
  abstract prepare(args: Record<string, unknown>, context: RequestContext): Promise<PreparedConnection>;
}
