// Documents that were asked before, compiled. Apollo Server parses and validates a document the first times it is seen;
// from then on the same text needs neither, and its fields are read by a function made for it (graphql-jit) instead of
// an interpreter: a page of 50 costs less than half. Texts are kept, so their number and length are bounded.
import type { ApolloServerPlugin } from '@apollo/server';
import {
  Kind,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { compileExecutedFields, type ExecutedField } from './executed-fields.js';
import type { GraphQLContext } from './request-context.js';

// A compiled operation takes about 50 kB.
const compiledMax = 300;
const seenMax = 5000;
/** A query for every field of all four connections has about 3,000 characters. */
const textCharsMax = 10_000;

export interface KnownOperation {
  name: string | null;
  /** The root fields that it executes with these variables. @throws BAD_USER_INPUT when a variable has a wrong value. */
  executedFields: (variables: Readonly<Record<string, unknown>>) => ExecutedField[];
  /** Variables are those that @skip and @include need: arguments were understood at admission. */
  execute: (
    context: GraphQLContext,
    variables: Readonly<Record<string, unknown>>,
  ) => Promise<ExecutionResult<Record<string, unknown>>>;
}

export class KnownOperations {
  private readonly known = new Map<string, KnownOperation | null>();
  private readonly seen = new Set<string>();

  /** @param argumentless fields whose resolvers read no arguments but what admission prepared */
  constructor(private readonly argumentless: ReadonlySet<string>) {}

  find(text: string, operationName: string | undefined): KnownOperation | null | undefined {
    return this.known.get(keyOf(text, operationName));
  }

  /** Learns the operations that Apollo Server found valid and admission let pass. */
  readonly plugin: ApolloServerPlugin<GraphQLContext> = {
    requestDidStart: async () => ({
      responseForOperation: async ({ source, queryHash, request, schema, document, operation }) => {
        const { operationName } = request;
        if (queryHash && source.length <= textCharsMax && this.isSeenAgain(keyOf(queryHash, operationName)))
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
    const query = asksIntrospection(document) ? null : this.compile(schema, document, operation);
    if (this.known.size >= compiledMax) this.known.delete(this.known.keys().next().value!);
    this.known.set(
      key,
      query && {
        name: operation.name?.value ?? null,
        executedFields: compileExecutedFields({ schema, document, operation }),
        // The context has the type that the server was made for.
        execute: async (context, variables) => query.query({}, context, variables),
      },
    );
  }

  private compile(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): CompiledQuery | null {
    const reduced = withoutArguments(document, this.argumentless);
    const query = compileQuery(schema, reduced, operation.name?.value);
    return isCompiledQuery(query) ? query : null;
  }
}

/** The length keeps name and text apart: no other text with another name makes the same key. */
function keyOf(text: string, operationName: string | null | undefined): string {
  return `${text.length}:${operationName ?? ''}:${text}`;
}

/** The document without the arguments of these fields, and without the variables that only they used. */
function withoutArguments(document: DocumentNode, fields: ReadonlySet<string>): DocumentNode {
  const reduced = visit(document, {
    Field: (node) => (fields.has(node.name.value) ? { ...node, arguments: [] } : undefined),
  });
  const used = new Set<string>();
  visit(reduced, {
    VariableDefinition: () => false,
    Variable: (node) => {
      used.add(node.name.value);
    },
  });
  return visit(reduced, {
    VariableDefinition: (node) => (used.has(node.variable.name.value) ? false : null),
  });
}

function asksIntrospection(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) =>
      (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION) &&
      definition.selectionSet.selections.some((node) => node.kind === Kind.FIELD && node.name.value.startsWith('__')),
  );
}
