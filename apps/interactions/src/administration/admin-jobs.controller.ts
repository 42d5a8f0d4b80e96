import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  assertActsFor,
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  positionAfter,
  timeAndId,
  toCursor,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { InteractionsService } from '../jobs-api/interactions.service.js';
import type { JobFilter, JobPosition } from '../tracker/jobs.store.js';
import type { JobId } from '../tracker/tracker.types.js';
import {
  bulkAbortAnswer,
  BulkAbortAnswerDto,
  BulkRequestDto,
  JobPageDto,
  JobPathDto,
  JobSearchQueryDto,
  reRunAnswer,
  ReRunAnswerDto,
  TimelineDto,
  timelineEntryDto,
  TimelineQueryDto,
} from './admin-jobs.dto.js';
import { JobDaysDto, jobDaysDto, JobDaysQueryDto } from './admin-days.dto.js';
import { BulkJobs, type BulkRequest } from './bulk-jobs.service.js';

/** A caller that belongs to a company sees and changes the jobs of that company. */
@ApiTags('administration of jobs')
@ApiBearerAuth()
@CompanyAdministrators()
@Controller('admin/jobs')
export class AdminJobsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly bulk: BulkJobs,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Jobs whose handle begins with a text' })
  @ApiOkResponse({ type: JobPageDto })
  async search(@Query() query: JobSearchQueryDto, @Caller() caller: CallerIdentity): Promise<JobPageDto> {
    const { search, user_company_id: given, status: statuses, limit, cursor } = query;
    if (given !== undefined) assertActsFor(caller, given);
    const filter = { userCompanyId: given ?? companyScopeOf(caller), statuses };
    return this.interactions.search(search, filter, { limit, cursor });
  }

  @Get('days')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Jobs, items and costs of the last days, and what runs now' })
  @ApiOkResponse({ type: JobDaysDto })
  async days(@Query() { days }: JobDaysQueryDto, @Caller() caller: CallerIdentity): Promise<JobDaysDto> {
    const scope = companyScopeOf(caller);
    return jobDaysDto(await this.interactions.listDays(days, scope), await this.interactions.countActive(scope));
  }

  @Get(':job_id/timeline')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'What happened to a job: transitions, calls to the provider, webhooks' })
  @ApiOkResponse({ type: TimelineDto })
  @ApiResponse({ status: 404, description: 'No job has this id, or none of the company of the caller' })
  async timeline(
    @Param() { job_id: id }: JobPathDto,
    @Query() query: TimelineQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<TimelineDto> {
    const { page, next_cursor } = await this.interactions.timeline(id, companyScopeOf(caller), query);
    return { timeline: page.map(timelineEntryDto), next_cursor };
  }

  @Post('re-run')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Start failed jobs again, or say what that would start and cost',
    description: 'A failed job is started again once, however often it is asked for. The newest come first.',
  })
  @ApiOkResponse({ type: ReRunAnswerDto })
  async reRun(
    @Body() body: BulkRequestDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<ReRunAnswerDto> {
    const request = bulkRequest('re-run', body, caller, author);
    const answer = await this.bulk.reRun(request);
    return reRunAnswer(answer, { dry_run: body.dry_run, next_cursor: cursorOf('re-run', answer.next, request) });
  }

  @Post('abort')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Abort active jobs, or say which that would be',
    description: 'The abort is recorded, and the provider is asked in the background. Nobody waits for it.',
  })
  @ApiOkResponse({ type: BulkAbortAnswerDto })
  async abort(
    @Body() body: BulkRequestDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<BulkAbortAnswerDto> {
    const request = bulkRequest('abort', body, caller, author);
    const answer = await this.bulk.abort(request);
    return bulkAbortAnswer(answer, { dry_run: body.dry_run, next_cursor: cursorOf('abort', answer.next, request) });
  }
}

type Action = 're-run' | 'abort';

function bulkRequest(action: Action, body: BulkRequestDto, caller: CallerIdentity, author: ChangeAuthor): BulkRequest {
  if (body.user_company_id !== undefined) assertActsFor(caller, body.user_company_id);
  const userCompanyId = body.user_company_id ?? companyScopeOf(caller);
  const filter: JobFilter & { ids?: readonly string[] } = {
    ...(userCompanyId === undefined ? {} : { userCompanyId }),
    ...(body.job_ids === undefined ? {} : { ids: body.job_ids }),
    ...(body.network_handle === undefined ? {} : { networkHandle: body.network_handle }),
    ...(body.entity === undefined ? {} : { entity: body.entity }),
    ...(body.created_from === undefined ? {} : { createdFrom: new Date(body.created_from) }),
    ...(body.created_before === undefined ? {} : { createdBefore: new Date(body.created_before) }),
  };
  const position = positionAfter(body.cursor, [action, filter], timeAndId);
  const after = position && { createdAt: position.time, id: position.id as JobId };
  return { filter, after, limit: body.limit, isDryRun: body.dry_run, author };
}

function cursorOf(action: Action, next: JobPosition | undefined, { filter }: BulkRequest): string | null {
  return next ? toCursor([next.createdAt.getTime(), next.id], [action, filter]) : null;
}
