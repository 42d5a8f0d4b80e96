// The Relay shape that all four connections share.
import type { Type } from '@nestjs/common';
import { Field, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'Where a page lies in its connection.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether records follow after this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether the page was reached by a cursor, so that records lie before it.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the first record of the page; null when the page is empty.',
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the last record of the page; pass it as `after` for the next page. Null when the page is empty.',
  })
  endCursor!: string | null;
}

export interface Edge<Node> {
  cursor: string;
  node: Node;
}

export interface Connection<Node> {
  edges: Edge<Node>[];
  /** Present when the query asks for it. */
  totalCount?: number;
  pageInfo: PageInfo;
}

/** Makes the types `<Name>Edge` and `<Name>Connection` of a record type. */
export function connectionOf<Node>(node: Type<Node>, name: string, records: string): Type<Connection<Node>> {
  @ObjectType(`${name}Edge`, { description: `A ${name.toLowerCase()} and its place in the connection.` })
  class EdgeType implements Edge<Node> {
    @Field(() => String, { description: 'Opaque cursor of this record, bound to the query it came from.' })
    cursor!: string;

    @Field(() => node, { description: 'The record.' })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `One page of the ${records} that match, in a stable order.` })
  class ConnectionType {
    @Field(() => [EdgeType], {
      description: 'The records of the page with their cursors; the server sets the page size.',
    })
    edges!: EdgeType[];

    @Field(() => Int, {
      description: `Exact number of matching ${records}, whatever the page. Counted only when selected.`,
    })
    totalCount!: number;

    @Field(() => PageInfo, { description: 'Where the page lies in the connection.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}
