import { Body, Controller, Get, HttpCode, Param, ParseUUIDPipe, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  Caller,
  callerId,
  Callers,
  pageOf,
  positionAfter,
  timeAndUuid,
  toCursor,
  type CallerIdentity,
} from '@tradewind/service-kit';
import { ServiceError, monthOf, parseMonth } from '@tradewind/shared-types';
import type { RunOptions } from './run.types.js';
import {
  MonthsAnswer,
  MonthsQuery,
  RunDto,
  RunsAnswer,
  RunsQuery,
  StartRunAnswer,
  StartRunDto,
  runMessage,
  toMonthDto,
  toRunDto,
} from './runs.dto.js';
import { RunsService } from './runs.service.js';
import { SchedulerOrCallerGuard } from './scheduler-or-caller.guard.js';
import { assertMayStart } from './start-rule.js';

@ApiTags('runs')
@ApiBearerAuth()
@Controller()
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Post('run')
  @HttpCode(202)
  @UseGuards(SchedulerOrCallerGuard)
  @ApiOperation({
    summary: 'Starts the monthly run, for the scheduler and for operators',
    description:
      'Publishes what the month has not published yet: everybody the first time, then only people who are new. ' +
      'An empty body of any content type is the plain run of the current month.',
  })
  @ApiBody({ type: StartRunDto, required: false })
  @ApiAcceptedResponse({ type: StartRunAnswer })
  @ApiForbiddenResponse({ description: 'The caller may not start a run, or not with force or of another month' })
  @ApiConflictResponse({ description: 'A run is under way' })
  async start(@Body() body: StartRunDto, @Caller() caller: CallerIdentity): Promise<StartRunAnswer> {
    const now = new Date();
    const options: RunOptions = {
      month: body.month === undefined ? monthOf(now) : parseMonth(body.month),
      force: body.force ?? false,
      dryRun: body.dry_run ?? false,
      limit: body.limit,
      triggeredBy: callerId(caller),
    };
    assertMayStart(caller, options, now);
    const begun = await this.runs.begin(options);
    return { ...toRunDto(begun.run), outcome: begun.outcome, message: runMessage(begun) };
  }

  @Get('runs')
  @Callers()
  @ApiOperation({ summary: 'Lists runs, latest first, of one month or all' })
  @ApiOkResponse({ type: RunsAnswer })
  async list(@Query() { month: given, limit, cursor }: RunsQuery): Promise<RunsAnswer> {
    const month = given === undefined ? undefined : parseMonth(given);
    const filter = ['runs', month ?? null];
    const after = positionAfter(cursor, filter, timeAndUuid);
    const rows = await this.runs.list({ month, after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(rows, limit, ({ run, micros }) => toCursor([micros, run.runId], filter));
    return { runs: page.map(({ run }) => toRunDto(run)), next_cursor };
  }

  @Get('months')
  @Callers()
  @ApiOperation({ summary: 'Lists months that have runs, latest first; the report of a month has its progress' })
  @ApiOkResponse({ type: MonthsAnswer })
  async listMonths(@Query() { limit, cursor }: MonthsQuery): Promise<MonthsAnswer> {
    const after = positionAfter(cursor, 'months', ([month, ...rest]) =>
      typeof month === 'string' && /^\d{4}-\d{2}$/.test(month) && rest.length === 0 ? month : undefined,
    );
    const rows = await this.runs.listMonths(limit + 1, after);
    const { page, next_cursor } = pageOf(rows, limit, ({ month }) => toCursor([month], 'months'));
    return { months: page.map(toMonthDto), next_cursor };
  }

  @Get('runs/:run_id')
  @Callers()
  @ApiParam({ name: 'run_id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({ summary: 'Shows the state of a run' })
  @ApiOkResponse({ type: RunDto })
  @ApiNotFoundResponse({ description: 'There is no such run' })
  async get(@Param('run_id', runIdPipe()) runId: string): Promise<RunDto> {
    return toRunDto(await this.runs.get(runId));
  }
}

function runIdPipe(): ParseUUIDPipe {
  return new ParseUUIDPipe({
    exceptionFactory: () =>
      new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such run' }),
  });
}
