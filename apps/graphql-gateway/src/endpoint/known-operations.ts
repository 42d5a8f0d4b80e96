// Operations that were asked before, compiled. Apollo Server parses, validates and answers a document the first times it is
// seen; from then on the same text needs none of it, and its answer is written from the rows by functions made for its
// selection. Texts are kept, so their number and length are bounded.
import type { ApolloServerPlugin } from '@apollo/server';
import {
  BREAK,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { ConnectionField } from '../connections/connection-field.port.js';
import type { ConnectionsService } from '../connections/connections.service.js';
import { compileShape } from '../connections/page-shape.js';
import { collectRootFields, compileExecutedFields, fragmentsOf, type ExecutedField } from './executed-fields.js';
import type { GraphQLContext, RequestContext } from '../request/request-context.js';

// A compiled operation takes about 60 kB, its parsed document included.
const compiledMax = 300;
const seenMax = 5000;
/** A query for every field of all four connections has about 3,000 characters. */
const textCharsMax = 10_000;

export interface KnownOperation {
  name: string | null;
  /** The variables that it declares. */
  definitions: readonly VariableDefinitionNode[];
  /** The root fields that it executes with these variables. @throws BAD_USER_INPUT when a variable has a wrong value. */
  executedFields: (variables: Readonly<Record<string, unknown>>) => ExecutedField[];
  /** Its data, after admission has prepared those fields. */
  data: (context: RequestContext) => Promise<Record<string, unknown>>;
}

export class KnownOperations {
  private readonly known = new Map<string, KnownOperation | null>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly connectionFields: readonly ConnectionField[],
    private readonly connections: ConnectionsService,
  ) {}

  find(text: string, operationName: string | undefined): KnownOperation | null | undefined {
    return this.known.get(keyOf(text, operationName));
  }

  /** Learns the operations that Apollo Server found valid and admission let pass. */
  readonly plugin: ApolloServerPlugin<GraphQLContext> = {
    requestDidStart: async () => ({
      responseForOperation: async ({ source, queryHash, request, schema, document, operation }) => {
        const { operationName } = request;
        // Without an operation, which Apollo Server finds out only after this hook, there is nothing to learn.
        if (
          operation &&
          queryHash &&
          source.length <= textCharsMax &&
          this.isSeenAgain(keyOf(queryHash, operationName))
        )
          this.learn(keyOf(source, operationName), schema, document, operation);
        return null;
      },
    }),
  };

  /** Operations that are asked once only are not worth compiling. */
  private isSeenAgain(key: string): boolean {
    if (this.seen.has(key)) return true;
    if (this.seen.size >= seenMax) this.seen.clear();
    this.seen.add(key);
    return false;
  }

  private learn(key: string, schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): void {
    if (this.known.has(key)) return;
    if (this.known.size >= compiledMax) this.known.delete(this.known.keys().next().value!);
    this.known.set(key, this.compile(schema, document, operation));
  }

  /** Null for what stays with Apollo Server: introspection, and documents that are not plain. */
  private compile(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): KnownOperation | null {
    if (!isPlain(document)) return null;
    const given = { schema, document, operation };
    const rootFields = collectRootFields(given, {});
    const fragments = fragmentsOf(document);
    const readers: ((context: RequestContext) => Promise<[responseKey: string, connection: unknown]>)[] = [];
    for (const { responseKey, nodes, definition } of rootFields) {
      const connection = this.connectionFields.find(({ name }) => name === definition?.name);
      if (!connection || !definition) return null;
      const { source } = connection;
      const { columns, isCounted, shape } = compileShape({ schema, fragments, type: definition.type, nodes }, source);
      const asked = { responseKey, columns, isCounted };
      readers.push(async (context) => [responseKey, shape(await this.connections.read(source, context, asked))]);
    }
    return {
      name: operation.name?.value ?? null,
      definitions: operation.variableDefinitions ?? [],
      executedFields: compileExecutedFields(given, rootFields),
      data: async (context) => Object.fromEntries(await Promise.all(readers.map((read) => read(context)))),
    };
  }
}

/** The length keeps name and text apart: no other text with another name makes the same key. */
function keyOf(text: string, operationName: string | null | undefined): string {
  return `${text.length}:${operationName ?? ''}:${text}`;
}

/** Without directives, which may select anew with every request, and without a name that plain objects cannot hold. */
function isPlain(document: DocumentNode): boolean {
  let isPlain = true;
  visit(document, {
    Directive: () => {
      isPlain = false;
      return BREAK;
    },
    Name: ({ value }) => {
      if (value === '__proto__') isPlain = false;
    },
  });
  return isPlain;
}
