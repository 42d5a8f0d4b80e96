// The limits on answers of REST that no unit was taken for: a refused token, a role that is not allowed, an unreadable
// body. As on the GraphQL endpoints, they say what is left, of the user or else of the address.
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import type { RequestWithCaller } from '@tradewind/service-kit';
import type { FastifyInstance } from 'fastify';
import { limitHeaders, policyHeader } from '../rate-limit/limit-headers.js';
import { LimitsService } from '../rate-limit/limits.service.js';
import { limitedCaller } from './request-units.js';

const paths = /^\/(keys|usage|admin\/keys)(\/|\?|$)/;

@Injectable()
export class LimitsOfRefusals implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: LimitsService,
  ) {}

  onModuleInit(): void {
    // Operator commands have no server.
    const adapter = this.host.httpAdapter as AbstractHttpAdapter | null;
    adapter?.getInstance<FastifyInstance>().addHook('onSend', async (request, reply, payload) => {
      // 503: the counters are away, or an overloaded service must not ask them about requests that it refuses.
      if (!paths.test(request.url) || reply.hasHeader(policyHeader) || reply.statusCode === 503) return payload;
      const state = await this.limits
        .look('requests', limitedCaller(request as RequestWithCaller))
        .catch(() => undefined);
      if (state) void reply.headers(limitHeaders(state));
      return payload;
    });
  }
}
