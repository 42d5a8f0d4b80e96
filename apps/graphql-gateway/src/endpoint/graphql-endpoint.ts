// One GraphQL endpoint over HTTP: first authentication, then Apollo Server, then what every answer of the gateway
// needs. That is failures as {message, error, statusCode}, units given back, limits in the headers, and the audit log.
import { HeaderMap, type ApolloServer } from '@apollo/server';
import { errorBody, isTooDeep, jsonLevelsMax, logFailure, toServiceError, type Logger } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppEvents } from '../events.js';
import { limitHeaders } from '../rate-limit/limit-headers.js';
import type { Answer } from '../request/answer.js';
import type { LimitState } from '../request/limit-state.js';
import { LimitReached } from '../rate-limit/limits.errors.js';
import type { LimitsService } from '../rate-limit/limits.service.js';
import { documentCharsMax } from './document-limits.js';
import type { RefusedDocuments } from './refused-documents.js';
import type { GraphQLContext, RequestContext } from '../request/request-context.js';

export interface GraphQLEndpointOptions {
  /** For metrics: `data` or `auth`. */
  name: string;
  /** The limit that answers report when the request was refused before it was known what it asks for. */
  policy: 'data' | 'requests';
  /** Who calls; throws for callers that may not. Null: decided by the operation. */
  authenticate: ((context: RequestContext) => Promise<void>) | null;
  /** Answers some requests past Apollo Server; undefined for the others. */
  answerFirst?: (context: RequestContext) => Promise<Answer | undefined>;
  /** Called once for every request, with the status of its answer. */
  onAnswer?: (context: RequestContext, status: number) => void;
}

// The headers that GraphQL over HTTP and its protection against forged requests look at.
const readHeaders = ['content-type', 'accept', 'x-apollo-operation-name', 'apollo-require-preflight'];

type Body = { query?: unknown } | null | undefined;

const tooLong: Answer = {
  status: 400,
  body: JSON.stringify({
    errors: [
      {
        message: `The query is too large: at most ${documentCharsMax} characters`,
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ],
  }),
  headers: [['content-type', 'application/json; charset=utf-8']],
};

export class GraphQLEndpoint {
  constructor(
    private readonly server: ApolloServer<GraphQLContext>,
    private readonly options: GraphQLEndpointOptions,
    private readonly services: {
      limits: LimitsService;
      refusedDocuments: RefusedDocuments;
      events: AppEvents;
      logger: Logger;
    },
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const startedAt = performance.now();
    const context = newContext(request);
    const answer = await this.answer(context);
    const { status } = answer;
    if (status >= 400) await this.giveBack(context);
    for (const [name, value] of answer.headers) void reply.header(name, value);
    // Caches must not keep the answer to a GET: it is data of one caller, at one time.
    if (context.request.method === 'GET') void reply.header('cache-control', 'no-store');
    const state = context.limit ?? (await this.currentLimit(context));
    if (state) void reply.headers(limitHeaders(state));
    this.options.onAnswer?.(context, status);
    this.services.events.emit('operation_done', {
      endpoint: this.options.name,
      status,
      seconds: (performance.now() - startedAt) / 1000,
      operation_name: context.operationName,
      user_id: context.user?.id,
    });
    return reply.code(status).send(answer.body);
  }

  /** Adds the limits to answers that did not come from `handle`: an unreadable body, a method that is not allowed. */
  async addLimits(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const state = await this.currentLimit(newContext(request));
    if (state) void reply.headers(limitHeaders(state));
  }

  private async answer(context: RequestContext): Promise<Answer> {
    try {
      await this.options.authenticate?.(context);
      const first = await this.options.answerFirst?.(context);
      if (first) return first;
      const { request } = context;
      const { refusedDocuments } = this.services;
      const text = (request.body as Body)?.query ?? (request.query as Body)?.query;
      refusedDocuments.assertMayAsk(context, text);
      if (isTooLong(request.body)) {
        await refusedDocuments.chargeRequest(context);
        return tooLong;
      }
      assertShallowQuery(request.query);
      const headers = new HeaderMap();
      for (const name of readHeaders) {
        const value = request.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      // No other site can make a browser send this header without a preflight, so a request that has it is not forged.
      if (request.headers.authorization !== undefined) headers.set('apollo-require-preflight', 'true');
      const response = await this.server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method,
          headers,
          body: request.body ?? {},
          search: request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '',
        },
        context: async () => ({ gateway: context }),
      });
      if (context.failed) return this.failure(context, context.failed);
      // Incremental delivery is not part of this API.
      const body = response.body.kind === 'complete' ? response.body.string : '';
      return { status: response.status ?? 200, body, headers: response.headers };
    } catch (error) {
      return this.failure(context, { failure: toServiceError(error), thrown: error });
    }
  }

  private failure(context: RequestContext, { failure, thrown }: NonNullable<RequestContext['failed']>): Answer {
    if (failure instanceof LimitReached) context.limit = failure.state;
    logFailure(failure, thrown, this.services.logger);
    const headers: [string, string][] = [
      ['content-type', 'application/json; charset=utf-8'],
      ...Object.entries(failure.headers),
    ];
    if (failure.retryAfterSeconds !== undefined) headers.push(['retry-after', String(failure.retryAfterSeconds)]);
    if (failure.status === 401) headers.push(['www-authenticate', 'Bearer']);
    return { status: failure.status, body: JSON.stringify(errorBody(failure)), headers };
  }

  /** A refused or failed request costs nothing. */
  private async giveBack(context: RequestContext): Promise<void> {
    if (!context.refund) return;
    try {
      await context.refund();
      context.limit = null;
    } catch (error) {
      // The caller loses these units, but still gets the answer.
      this.services.logger.error({ err: error, user_id: context.user?.id }, 'units could not be returned');
    }
  }

  private async currentLimit(context: RequestContext): Promise<LimitState | undefined> {
    try {
      return await this.services.limits.look(this.options.policy, { ip: context.ip, userId: context.user?.id ?? null });
    } catch {
      // The counters are away. The answer goes out without their headers.
      return undefined;
    }
  }
}

/** The text is checked before it is hashed and parsed. A URL is always short. */
function isTooLong(body: unknown): boolean {
  const query = (body as Body)?.query;
  return typeof query === 'string' && query.length > documentCharsMax;
}

/** A URL may hold JSON, too, which Apollo Server parses at any depth. The service kit limits bodies. */
function assertShallowQuery(query: unknown): void {
  const parameters = query as Partial<Record<string, unknown>>;
  for (const name of ['variables', 'extensions']) {
    const text = parameters[name];
    if (typeof text !== 'string' || !isTooDeepText(text)) continue;
    const message = [`${name} must not be nested in more than ${jsonLevelsMax} levels`];
    throw new ServiceError({ code: 'request.invalid', status: 400, message });
  }
}

function isTooDeepText(text: string): boolean {
  try {
    return isTooDeep(text, JSON.parse(text));
  } catch {
    // Not JSON, which Apollo Server reports.
    return false;
  }
}

function newContext(request: FastifyRequest): RequestContext {
  return {
    request,
    ip: request.ip,
    apiKey: null,
    user: null,
    operationName: null,
    dataCalls: null,
    chargeUser: null,
    limit: null,
    refund: null,
    failed: null,
    data: null,
    extensions: {},
  };
}
