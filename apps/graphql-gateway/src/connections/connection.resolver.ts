// Makes the resolver of a connection field from the description that each record type gives of its connection.
import type { Type } from '@nestjs/common';
import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { Clock } from '../clock.js';
import { Dictionaries, type Lookups } from '../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../request/request-context.js';
import type { Connection } from './connection.types.js';
import { ConnectionsService } from './connections.service.js';
import { positionAfter } from './page-cursor.js';
import { orderKeys } from './page-order.js';
import type { PreparedConnection } from './prepared-connection.js';
import type { RecordSource } from './record-source.js';

/** What the meaning of arguments depends on. */
export interface ArgumentContext {
  lookups: Lookups;
  now: Date;
  userId: string;
}

export interface ConnectionDefinition<Node, ConnectionArgs extends { after?: string | null }> {
  /** Name of the field. */
  name: string;
  description: string;
  /** The type that `connectionOf` made. */
  type: Type<Connection<Node>>;
  args: Type<ConnectionArgs>;
  source: RecordSource;
  /** Arguments that must come from a variable of their own name. */
  variableArguments: readonly string[];
  /** @throws BAD_USER_INPUT for faults of the caller. May be called twice for one request. */
  understand: (args: ConnectionArgs, context: ArgumentContext) => Omit<PreparedConnection, 'after'>;
}

export function connectionResolver<Node, ConnectionArgs extends { after?: string | null }>({
  name,
  description,
  type,
  args: argsType,
  source,
  variableArguments,
  understand,
}: ConnectionDefinition<Node, ConnectionArgs>): Type {
  @Resolver()
  class ConnectionResolver {
    constructor(
      private readonly connections: ConnectionsService,
      private readonly dictionaries: Dictionaries,
      private readonly clock: Clock,
    ) {}

    @Query(() => type, { name, description })
    async page(
      @Args({ type: () => argsType }) args: object,
      @Context('gateway') context: RequestContext,
      @Info() info: GraphQLResolveInfo,
    ): Promise<Connection<Node>> {
      const call = { args: args as Record<string, unknown>, info, variableArguments };
      // Admission sets both before a connection is executed.
      const userId = context.user!.id;
      const prepared = await context.dataCalls!.admit(call, () => this.prepare(args as ConnectionArgs, userId));
      return this.connections.page(source, prepared, context, info);
    }

    private async prepare(args: ConnectionArgs, userId: string): Promise<PreparedConnection> {
      const now = this.clock.now();
      const understood = await this.dictionaries.apply((lookups) => understand(args, { lookups, now, userId }));
      return { ...understood, after: positionAfter(args.after, understood.fingerprint, orderKeys(understood.sort)) };
    }
  }
  return ConnectionResolver;
}
