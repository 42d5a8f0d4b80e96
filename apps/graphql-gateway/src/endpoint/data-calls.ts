// The data calls of one operation. The arguments of all of them are read before any is charged, and all are charged
// together. So a fault of the caller costs nothing, and an operation is never charged in part.
import type { GraphQLResolveInfo } from 'graphql';
import type { DataCall, DataCalls } from '../request/request-context.js';
import { assertNamedVariables } from './named-variable-rule.js';
import { assertVariablesDeclared } from './undeclared-variables.js';

type Variables = Readonly<Record<string, unknown>> | undefined;

export class ChargedDataCalls implements DataCalls {
  private readonly calls: { call: DataCall; understand: () => Promise<unknown> }[] = [];
  private admitted: Promise<unknown[]> | undefined;
  /** A later call would be executed without a charge. */
  private isComplete = false;

  /**
   * @param sent the variables as they were sent
   * @param charge takes this number of data calls; throws when there are not so many left
   */
  constructor(
    private readonly sent: Variables,
    private readonly charge: (cost: number) => Promise<void>,
  ) {}

  async admit<T>(call: DataCall, understand: () => Promise<T>): Promise<T> {
    if (this.isComplete) throw new Error('a connection was reached after its operation was admitted');
    const index = this.calls.push({ call, understand }) - 1;
    this.admitted ??= allCallsMade().then(() => this.admitAll());
    return (await this.admitted)[index] as T;
  }

  private async admitAll(): Promise<unknown[]> {
    this.isComplete = true;
    for (const { call } of this.calls) assertNamedVariables(call, this.sent);
    const infos: GraphQLResolveInfo[] = this.calls.map(({ call }) => call.info);
    assertVariablesDeclared(infos, this.sent);
    const understood: unknown[] = [];
    for (const { understand } of this.calls) understood.push(await understand());
    await this.charge(this.calls.length);
    return understood;
  }
}

/** GraphQL starts all root fields of a query at once. The next tick begins when all of them are waiting. */
async function allCallsMade(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
