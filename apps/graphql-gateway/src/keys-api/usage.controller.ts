import { Controller, Get, Header, Query, Req, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { Caller, userOf, Users, type CallerIdentity } from '@tradewind/service-kit';
import type { FastifyRequest } from 'fastify';
import { AuditLogStore } from '../api-keys/audit-log.store.js';
import { Clock, utcDay } from '../clock.js';
import { LimitsService } from '../rate-limit/limits.service.js';
import type { LimitState } from '../request/limit-state.js';
import { LimitUseDto, UsageDto } from './keys.dto.js';
import { DaysOfUseDto, DaysQueryDto, toDaysOfUseDto } from './usage.dto.js';
import { RequestUnits } from './request-units.js';

@ApiTags('usage')
@ApiBearerAuth()
@ApiTooManyRequestsResponse({ description: 'Too many requests in 60 seconds; Retry-After says when to ask again' })
@Users()
@UseInterceptors(RequestUnits)
@Controller('usage')
export class UsageController {
  constructor(
    private readonly limits: LimitsService,
    private readonly audit: AuditLogStore,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'What is used and left of your limits, of all your keys together' })
  @ApiOkResponse({ type: UsageDto })
  async usage(@Req() { ip }: FastifyRequest, @Caller() caller: CallerIdentity): Promise<UsageDto> {
    const { userId } = userOf(caller);
    const now = this.clock.now();
    const of = { ip, userId };
    const [dataCalls, requests, refused] = await Promise.all([
      this.limits.look('data', of),
      this.limits.look('requests', of),
      this.audit.countRateLimited(userId, new Date(`${utcDay(now)}T00:00:00.000Z`)),
    ]);
    return { data_calls: toLimitUse(dataCalls, now), requests: toLimitUse(requests, now), refused_today: refused };
  }

  @Get('days')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Your data calls of each day (UTC), of all your keys together' })
  @ApiOkResponse({ type: DaysOfUseDto })
  async days(@Query() { days }: DaysQueryDto, @Caller() caller: CallerIdentity): Promise<DaysOfUseDto> {
    const uses = await this.limits.dataCallsByDay(days, { userId: userOf(caller).userId });
    return toDaysOfUseDto(uses);
  }
}

function toLimitUse({ limit, remaining, windowSeconds, resetSeconds }: LimitState, now: Date): LimitUseDto {
  // The seconds are rounded up.
  const resetsAt = Math.floor(now.getTime() / 1000 + resetSeconds) * 1000;
  return {
    limit,
    used: limit - remaining,
    remaining,
    window_seconds: windowSeconds,
    resets_at: new Date(resetsAt).toISOString(),
  };
}
