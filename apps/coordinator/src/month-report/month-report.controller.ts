import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Caller, callerId, Callers, positionAfter, toCursor, type CallerIdentity } from '@tradewind/service-kit';
import { normaliseNetworkUsername, ServiceError, uuidPattern } from '@tradewind/shared-types';
import {
  MissingPageAnswer,
  MissingQuery,
  MonthReportAnswer,
  MonthReportQuery,
  profileSelectionDto,
  ProfileSelectionsAnswer,
  RetryMissingAnswer,
  RetryMissingDto,
} from './month-report.dto.js';
import {
  MonthReportService,
  type MissingProfile,
  type MonthCounts,
  type ProfilePosition,
} from './month-report.service.js';

const noRunOfMonth = 'The month has no run, or is kept no longer';

@ApiTags('months')
@ApiBearerAuth()
@Callers()
@Controller('months')
export class MonthReportController {
  constructor(private readonly reports: MonthReportService) {}

  @Get(':month/report')
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({ summary: 'Reports what is done in a month, and names what is not' })
  @ApiOkResponse({ type: MonthReportAnswer })
  @ApiNotFoundResponse({ description: noRunOfMonth })
  async report(@Param('month') month: string, @Query() { names }: MonthReportQuery): Promise<MonthReportAnswer> {
    let counts: MonthCounts | undefined;
    const profiles: MissingProfile[] = [];
    for await (const page of this.reports.report(month)) {
      counts = page.counts;
      profiles.push(...page.missing.slice(0, Math.max(0, names - profiles.length)));
    }
    // The report has at least one page.
    return { month, is_complete: counts!.missing === 0, ...counts!, missing_profiles: profiles };
  }

  @Get(':month/missing')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({
    summary: 'Lists the profiles of a month that are not done, with the reason',
    description: 'A page looks at 20,000 profiles at most, so it may have few of them or none, and a next one.',
  })
  @ApiOkResponse({ type: MissingPageAnswer })
  @ApiNotFoundResponse({ description: noRunOfMonth })
  async listMissing(
    @Param('month') month: string,
    @Query() { limit, cursor }: MissingQuery,
  ): Promise<MissingPageAnswer> {
    const after = positionAfter(cursor, month, toPosition);
    const { missing, next } = await this.reports.listMissing(month, { after, limit });
    const next_cursor = next ? toCursor([next.runId, next.batchNumber, next.place], month) : null;
    return { month, missing_profiles: missing, next_cursor };
  }

  @Get(':month/profiles/:username')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiParam({ name: 'username', example: 'ada-lovelace', description: 'Handle or address of a profile' })
  @ApiOperation({
    summary: 'Shows which runs of a month have selected and published a profile',
    description: 'priority-api knows when it was started, and priority-webhook what came of it.',
  })
  @ApiOkResponse({ type: ProfileSelectionsAnswer })
  @ApiNotFoundResponse({ description: noRunOfMonth })
  async listSelections(
    @Param('month') month: string,
    @Param('username') username: string,
  ): Promise<ProfileSelectionsAnswer> {
    const handle = normaliseNetworkUsername(username);
    if (handle === undefined) {
      const message = ['username must be the handle of a profile'];
      throw new ServiceError({ code: 'request.invalid', status: 400, message });
    }
    const selections = await this.reports.listSelections(month, handle);
    return { month, network_username: handle, runs: selections.map(profileSelectionDto) };
  }

  @Post(':month/retry-missing')
  @HttpCode(200)
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({
    summary: 'Starts profiles of a month again that ended without success or are overdue',
    description:
      'Every start is paid for. What is on its way or done is left alone, so asking again starts nothing more. ' +
      '`dry_run` shows the plan.',
  })
  @ApiBody({ type: RetryMissingDto, required: false })
  @ApiOkResponse({ type: RetryMissingAnswer })
  @ApiNotFoundResponse({ description: noRunOfMonth })
  async retryMissing(
    @Param('month') month: string,
    @Body() body: RetryMissingDto,
    @Caller() caller: CallerIdentity,
  ): Promise<RetryMissingAnswer> {
    const requestedBy = callerId(caller);
    return this.reports.retryMissing(month, { planId: body.plan_id, isDryRun: body.dry_run, requestedBy });
  }
}

/** Batches and places are integers of PostgreSQL. */
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;

function toPosition([runId, batchNumber, place, ...rest]: unknown[]): ProfilePosition | undefined {
  const isId = typeof runId === 'string' && uuidPattern.test(runId);
  return isId && isCount(batchNumber) && isCount(place) && rest.length === 0
    ? { runId, batchNumber, place }
    : undefined;
}
