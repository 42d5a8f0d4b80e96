import { Controller, Get, Header, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import {
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  pageOf,
  positionAfter,
  toCursor,
  type CallerIdentity,
} from '@tradewind/service-kit';
import { LimitsService } from '../rate-limit/limits.service.js';
import { RequestUnits } from './request-units.js';
import { DaysOfUseDto, DaysQueryDto, toDaysOfUseDto, UsersByUseDto, UsersByUseQueryDto } from './usage.dto.js';

/** Who spends the data calls; for a bound caller those of its company. */
@ApiTags('administration')
@ApiBearerAuth()
@ApiTooManyRequestsResponse({ description: 'Too many requests in 60 seconds; Retry-After says when to ask again' })
@CompanyAdministrators()
@UseInterceptors(RequestUnits)
@Controller('admin/usage')
export class AllUsageController {
  constructor(private readonly limits: LimitsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Users by their data calls of the last days' })
  @ApiOkResponse({ type: UsersByUseDto })
  async list(
    @Query() { days, limit, cursor }: UsersByUseQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<UsersByUseDto> {
    const companyId = companyScopeOf(caller);
    const filter = { days, companyId };
    const after = positionAfter(cursor, filter, useAndUser);
    const rows = await this.limits.usersByDataCalls(days, { companyId, limit: limit + 1, after });
    const { page, next_cursor } = pageOf(rows, limit, ({ used, userId }) => toCursor([used, userId], filter));
    return {
      users: page.map(({ userId, email, companyId: company, used, lastDay }) => ({
        user_id: userId,
        user_email: email,
        user_company_id: company,
        data_calls: used,
        last_day: lastDay,
      })),
      next_cursor,
    };
  }

  @Get('days')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Data calls of each day (UTC), of all users together' })
  @ApiOkResponse({ type: DaysOfUseDto })
  async days(@Query() { days }: DaysQueryDto, @Caller() caller: CallerIdentity): Promise<DaysOfUseDto> {
    return toDaysOfUseDto(await this.limits.dataCallsByDay(days, { companyId: companyScopeOf(caller) }));
  }
}

const intMax = 2 ** 31 - 1;

function useAndUser([used, userId, ...rest]: unknown[]): { used: number; userId: string } | undefined {
  if (!Number.isInteger(used) || (used as number) < 0 || (used as number) > intMax || rest.length > 0) return undefined;
  const isUuid = typeof userId === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(userId);
  return isUuid ? { used: used as number, userId } : undefined;
}
