// The way of a known operation from body to answer, past Apollo Server's pipeline, which costs more than reading a page
// of one record. Only what is plain goes this way: a JSON POST whose text was found valid before. Everything else,
// and every fault of the caller, is left to Apollo Server: nothing was charged yet, so it begins anew.
import { GraphQLError } from 'graphql';
import type { Admit, Charge } from './admission.plugin.js';
import type { Answer } from '../request/answer.js';
import type { KnownOperations } from './known-operations.js';
import type { RequestContext } from '../request/request-context.js';

const jsonBody = /^application\/json(; ?charset=utf-8)?$/i;
// What Apollo Server answers to these is application/json.
const jsonAnswers = new Set([undefined, '', '*/*', 'application/json']);
const answerHeaders: readonly (readonly [string, string])[] = [['content-type', 'application/json; charset=utf-8']];

export class ShortWay {
  constructor(
    private readonly operations: KnownOperations,
    private readonly admit: Admit,
  ) {}

  /** The answer, or undefined when Apollo Server has to give it. Throws failures and refusals for lack of units. */
  async answer(context: RequestContext): Promise<Answer | undefined> {
    const asked = plainRequest(context);
    const known = asked && this.operations.find(asked.query, asked.operationName);
    if (!known) return undefined;
    const { variables } = asked;
    context.operationName = known.name;
    let charge: Charge;
    try {
      charge = await this.admit(known.executedFields(variables), context, {
        variables,
        definitions: known.definitions,
      });
    } catch (error) {
      if (error instanceof GraphQLError) return undefined;
      throw error;
    }
    // While the units are being taken, the page is read already; without them it is thrown away.
    const early = charge.isExpectedToPass ? known.data(context) : undefined;
    early?.catch(() => undefined);
    await charge.done;
    const data = await (early ?? known.data(context));
    const { extensions } = context;
    const body = Object.keys(extensions).length === 0 ? { data } : { data, extensions };
    return { status: 200, body: JSON.stringify(body), headers: answerHeaders };
  }
}

interface PlainRequest {
  query: string;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
}

function plainRequest({ request }: RequestContext): PlainRequest | undefined {
  const { headers, method, url, body } = request;
  if (method !== 'POST' || url.includes('?')) return undefined;
  if (!jsonBody.test(headers['content-type'] ?? '') || !jsonAnswers.has(headers.accept)) return undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { query, operationName, variables, extensions } = body as Record<string, unknown>;
  if (typeof query !== 'string' || !isAbsent(extensions)) return undefined;
  if (!isAbsent(operationName) && typeof operationName !== 'string') return undefined;
  if (!isAbsent(variables) && (typeof variables !== 'object' || Array.isArray(variables))) return undefined;
  return {
    query,
    operationName: operationName ?? undefined,
    variables: (variables ?? {}) as Record<string, unknown>,
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
