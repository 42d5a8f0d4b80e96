import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Administrators, pageOf, positionAfter, toCursor } from '@tradewind/service-kit';
import { uuidPattern } from '@tradewind/shared-types';
import { monthlyGeneration } from '../batch-message.js';
import { assertHandle, MonthsService } from '../months/months.service.js';
import { CallListQueryDto, CallPageDto, profileCallDto, ProfilePathDto } from './admin-profile-calls.dto.js';

/** What priority-api knows of a profile; priority-webhook has what the provider sent. Profiles belong to no company. */
@ApiTags('administration of profiles')
@ApiBearerAuth()
@Administrators()
@Controller('admin/profiles')
export class AdminProfileCallsController {
  constructor(private readonly months: MonthsService) {}

  @Get(':username/calls')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'In which months a profile was published, started, retried, lost and delivered' })
  @ApiOkResponse({ type: CallPageDto })
  async list(
    @Param() { username }: ProfilePathDto,
    @Query() { limit, cursor }: CallListQueryDto,
  ): Promise<CallPageDto> {
    const handle = assertHandle(username);
    const after = positionAfter(cursor, handle, toPosition);
    const rows = await this.months.listCalls(handle, { after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(rows, limit, ({ month, generation }) => toCursor([month, generation], handle));
    return { calls: page.map(profileCallDto), next_cursor };
  }
}

function toPosition([month, generation, ...rest]: unknown[]): { month: string; generation: string } | undefined {
  if (typeof month !== 'string' || !/^\d{4}-\d{2}$/.test(month) || rest.length > 0) return undefined;
  const isGeneration =
    generation === monthlyGeneration || (typeof generation === 'string' && uuidPattern.test(generation));
  return isGeneration ? { month, generation } : undefined;
}
