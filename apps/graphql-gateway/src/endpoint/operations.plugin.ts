// From a valid document to its data, for both endpoints. Apollo Server parses, validates and keeps documents; here the
// operation is admitted and executed. It succeeds or fails as a whole, so that there are no partial answers.
import { HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import { execute, getVariableValues, GraphQLError, type ExecutionResult } from 'graphql';
import { failureOf } from '../request/failures.js';
import type { RepeatableOperation } from '../request/repeatable-operation.js';
import type { GraphQLContext } from '../request/request-context.js';
import type { Admit } from './admission.js';
import { assertArguments } from './argument-faults.js';
import { CompiledOperations, type ResolvedOperation } from './compiled-operations.js';
import type { RefusedDocuments } from './refused-documents.js';
import { rootFieldNames } from './root-fields.js';
import { variableFault } from './variable-faults.js';

export function operationsPlugin({
  admit,
  refusedDocuments,
  onRepeatable,
}: {
  admit: Admit;
  refusedDocuments: RefusedDocuments;
  /** Called after each answer of a compiled operation. */
  onRepeatable?: (operation: RepeatableOperation) => void;
}): ApolloServerPlugin<GraphQLContext> {
  const compiledOperations = new CompiledOperations();

  async function run(resolved: ResolvedOperation, contextValue: GraphQLContext): Promise<ExecutionResult> {
    const { schema, document, operation, variables = {} } = resolved;
    if (!schema.getRootType(operation.operation)) {
      throw new GraphQLError(`This API has no ${operation.operation} operations.`, {
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
      });
    }
    const definitions = operation.variableDefinitions ?? [];
    // graphql-js ends at the first fault; `variableFault` describes it in words made for callers.
    const { coerced } = getVariableValues(schema, definitions, variables, { maxErrors: 0 });
    if (!coerced) throw variableFault(schema, definitions, variables);
    const compiled = compiledOperations.find(operation);
    if (!compiled) assertArguments(resolved, coerced);
    const fields = compiled?.fields ?? rootFieldNames(document, operation, coerced);
    await admit({ fields, variables: resolved.variables }, contextValue.gateway);
    if (compiled) return compiled.query({}, contextValue, variables);
    const operationName = operation.name?.value;
    const result = await execute({ schema, document, operationName, variableValues: variables, contextValue });
    if (!result.errors) compiledOperations.keep(resolved);
    return result;
  }

  function offer({ schema, operation, source }: ResolvedOperation, askedAs: string | null): void {
    const compiled = compiledOperations.find(operation);
    if (!compiled) return;
    const { fields, query } = compiled;
    const definitions = operation.variableDefinitions ?? [];
    onRepeatable?.({
      source,
      name: operation.name?.value ?? null,
      askedAs,
      execute: async (variables, context) => {
        if (!getVariableValues(schema, definitions, variables, { maxErrors: 0 }).coerced) return undefined;
        await admit({ fields, variables }, context.gateway);
        return query({}, context, variables);
      },
    });
  }

  const hooks = {
    // What this hook throws is the answer to the request. Apollo Server calls it for each operation that it finds
    // valid.
    didResolveOperation: async (resolved) => {
      const { contextValue, schema, document, operation, source, queryHash, request } = resolved;
      const { gateway } = contextValue;
      gateway.operationName = resolved.operationName;
      // No operation of that name: Apollo Server refuses the request after this hook.
      if (!operation) return;
      const operationOfRequest = { schema, document, operation, source, variables: request.variables };
      const { data, errors } = await run(operationOfRequest, contextValue);
      if (errors?.[0]) {
        gateway.failed = failureOf(errors) ?? null;
        throw gateway.failed?.failure ?? faultOf(errors[0]);
      }
      gateway.data = data!;
      refusedDocuments.remember(queryHash);
      offer(operationOfRequest, request.operationName ?? null);
    },
    responseForOperation: async ({ contextValue: { gateway } }) => {
      const { data, extensions } = gateway;
      if (!data) return null;
      const singleResult = Object.keys(extensions).length === 0 ? { data } : { data, extensions };
      return { http: { status: undefined, headers: new HeaderMap() }, body: { kind: 'single', singleResult } };
    },
    didEncounterErrors: async ({ errors, contextValue: { gateway } }) => {
      await refusedDocuments.charge(errors, gateway);
      gateway.failed ??= failureOf(errors) ?? null;
    },
  } satisfies Awaited<ReturnType<NonNullable<ApolloServerPlugin<GraphQLContext>['requestDidStart']>>>;
  return { requestDidStart: async () => hooks };
}

/** The fault as it was thrown, without its path in the answer, because there is no answer. */
function faultOf(error: GraphQLError): GraphQLError {
  return error.originalError instanceof GraphQLError ? error.originalError : error;
}
