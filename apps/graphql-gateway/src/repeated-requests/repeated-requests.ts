// A second way to an answer, for speed only. A request for a document that was answered before goes past Apollo Server,
// straight to its compiled operation. It takes only requests that both ways answer alike. Everything unusual, and every
// fault of the caller, goes the usual way. REPEATED_REQUESTS=false removes it.
import { LRUCache } from 'lru-cache';
import type { Answer } from '../request/answer.js';
import { failureOf } from '../request/failures.js';
import type { RepeatableOperation } from '../request/repeatable-operation.js';
import type { RequestContext } from '../request/request-context.js';

/** As many as are compiled; a text has at most as many characters as a document may have. */
const operationsMax = 300;
const jsonTypes = new Set<unknown>(['application/json', 'application/json; charset=utf-8']);
const acceptedTypes = new Set<unknown>([undefined, '*/*', 'application/json']);
/** As Apollo Server sends them. */
const headers: Answer['headers'] = [['content-type', 'application/json; charset=utf-8']];

export class RepeatedRequests {
  /** By the text of the document. */
  private readonly operations = new LRUCache<string, RepeatableOperation>({ max: operationsMax });

  /** Of a document with several operations, only the first one that is asked for is remembered. */
  remember(operation: RepeatableOperation): void {
    if (!this.operations.has(operation.source)) this.operations.set(operation.source, operation);
  }

  /**
   * The answer; undefined when the usual way has to give it, and then nothing was charged: faults of the caller are
   * found before the charge.
   * @throws what the usual way answers with the gateway body
   */
  async answer(context: RequestContext): Promise<Answer | undefined> {
    const found = this.find(context.request);
    if (!found) return undefined;
    const { operation, variables } = found;
    context.operationName = operation.name;
    const result = await operation.execute(variables, { gateway: context });
    if (!result) return undefined;
    const { data, errors } = result;
    if (errors) {
      const failed = failureOf(errors);
      if (failed) throw failed.thrown;
      return undefined;
    }
    const { extensions } = context;
    const body = JSON.stringify(Object.keys(extensions).length === 0 ? { data } : { data, extensions });
    return { status: 200, body, headers };
  }

  private find(request: RequestContext['request']) {
    const { method, url, headers, body } = request;
    if (method !== 'POST' || url.includes('?') || !jsonTypes.has(headers['content-type'])) return undefined;
    if (!acceptedTypes.has(headers.accept)) return undefined;
    const { query, operationName = null, variables = {}, extensions } = body as Record<string, unknown>;
    const operation = typeof query === 'string' ? this.operations.get(query) : undefined;
    if (!operation || operationName !== operation.askedAs || extensions !== undefined) return undefined;
    if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return undefined;
    return { operation, variables: variables as Record<string, unknown> };
  }
}
