// What the administration of jobs takes and answers.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ProfileEntity } from '@tradewind/scraping-provider';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { IsInstant, MayBeAbsent, networkUsernameLengthMax } from '@tradewind/shared-types';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsUUID } from 'class-validator';
import { InteractionDto } from '../jobs-api/interaction-answers.dto.js';
import { entities, toHandle } from '../jobs-api/interactions.dto.js';
import { IsNetworkHandle, IsPlainText } from '../jobs-api/field-rules.js';
import { toUsd } from '../micro-usd.js';
import type { TimelineEntry, TimelineKind } from '../tracker/timeline.store.js';
import { matchedMax } from '../tracker/jobs.store.js';
import { trackerStatuses, type TrackerStatus } from '../tracker/tracker.types.js';
import type { BulkAnswer, BulkOutcome, BulkResult, ReRunAnswer } from './bulk-jobs.service.js';

/** Longest id of a company, characters. */
const companyIdLengthMax = 200;
const jobIdsMax = 200;
const jobId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
const date = '2026-11-24T10:00:00.123Z';

class PageQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class JobSearchQueryDto extends PageQueryDto {
  @ApiProperty({
    type: String,
    maxLength: networkUsernameLengthMax,
    description: 'How the handle begins, in any case; the list is in the order of handles',
    example: 'ada',
  })
  @IsPlainText(networkUsernameLengthMax)
  search!: string;

  @ApiPropertyOptional({ type: String, maxLength: companyIdLengthMax, example: 'acme' })
  @MayBeAbsent()
  @IsPlainText(companyIdLengthMax)
  user_company_id?: string;

  @ApiPropertyOptional({ type: [String], enum: trackerStatuses, description: 'Several: repeated, or with commas' })
  @MayBeAbsent()
  @Transform(({ value }: TransformFnParams): unknown =>
    [value as unknown].flat().flatMap((words) => (typeof words === 'string' ? words.split(',') : [words])),
  )
  @IsIn(trackerStatuses, { each: true })
  status?: TrackerStatus[];
}

export class JobPathDto {
  @ApiProperty({ type: String, format: 'uuid', example: jobId })
  @IsUUID()
  job_id!: string;
}

export class TimelineQueryDto extends PageQueryDto {}

export class JobPageDto {
  @ApiProperty({ type: [InteractionDto], description: 'In the order of their handles' }) jobs!: InteractionDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

const kinds: TimelineKind[] = ['transition', 'provider_call', 'webhook'];

export class TimelineEntryDto {
  @ApiProperty({ type: String, format: 'date-time', example: date, description: 'When it happened first' }) at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: date, description: 'When it happened last' })
  last_at!: string;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'How often it happened with nothing in between: looks, and webhooks that were repeated or refused',
  })
  times!: number;

  @ApiProperty({ type: String, enum: kinds, example: 'provider_call' }) kind!: TimelineKind;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'transition: `stage`, `status`, `run_id`, `run_status`, `error`, `abort_requested`. provider_call: `operation`, `outcome`, `run_id`, `ms`. webhook: `webhook_id`, `event_type`, `run_id`, `outcome` (`repeated` and `refused` have no id), `reason` of a refusal, `by` of a replay',
    example: { operation: 'start', outcome: 'started', run_id: 'RUN_ID', ms: 120 },
  })
  details!: Record<string, unknown>;
}

export class TimelineDto {
  @ApiProperty({ type: [TimelineEntryDto], description: 'Oldest first' }) timeline!: TimelineEntryDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export class BulkRequestDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: true,
    description: 'True: only the plan, which changes nothing. False: the act',
  })
  @MayBeAbsent()
  @IsBoolean()
  dry_run: boolean = true;

  @ApiPropertyOptional({ type: String, maxLength: companyIdLengthMax, example: 'acme' })
  @MayBeAbsent()
  @IsPlainText(companyIdLengthMax)
  user_company_id?: string;

  @ApiPropertyOptional({ type: [String], format: 'uuid', maxItems: jobIdsMax, description: 'Only these jobs' })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(jobIdsMax)
  @IsUUID(undefined, { each: true })
  job_ids?: string[];

  @ApiPropertyOptional({ type: String, example: 'ada-lovelace' })
  @MayBeAbsent()
  @Transform(toHandle)
  @IsNetworkHandle()
  network_handle?: string;

  @ApiPropertyOptional({ type: String, enum: entities })
  @MayBeAbsent()
  @IsIn(entities)
  entity?: ProfileEntity;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Created at this moment or later' })
  @MayBeAbsent()
  @IsInstant()
  created_from?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Created before this moment' })
  @MayBeAbsent()
  @IsInstant()
  created_before?: string;

  @ApiPropertyOptional({ ...pageLimitProperty, description: 'Most jobs of one request' })
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

const reRunOutcomes: BulkOutcome[] = ['would_start', 'started', 'active', 'over_budget'];
const abortOutcomes: BulkOutcome[] = ['would_abort', 'abort_requested', 'ended'];

class BulkJobDto {
  @ApiProperty({ type: String, format: 'uuid', example: jobId }) job_id!: string;
  @ApiProperty({ type: String, example: 'acme' }) user_company_id!: string;
  @ApiProperty({ type: String, example: 'ada-lovelace' }) network_handle!: string;
  @ApiProperty({ type: String, enum: entities, example: 'PERSON' }) entity!: ProfileEntity;
}

export class ReRunJobDto extends BulkJobDto {
  @ApiProperty({
    type: String,
    enum: reRunOutcomes,
    example: 'would_start',
    description:
      'active: the company has an active run for the target, or another request let the job start again; over_budget: the budget of the month has no room',
  })
  outcome!: BulkOutcome;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null, description: 'The job that repeats it' })
  new_job_id!: string | null;
}

export class AbortJobDto extends BulkJobDto {
  @ApiProperty({
    type: String,
    enum: abortOutcomes,
    example: 'would_abort',
    description: 'abort_requested: the provider decides, as with POST /scraper/network/abort-run; ended: too late',
  })
  outcome!: BulkOutcome;
}

class BulkAnswerDto {
  @ApiProperty({ type: Boolean, example: true, description: 'Whether this is a plan, and nothing was changed' })
  dry_run!: boolean;

  @ApiProperty({
    type: 'integer',
    maximum: matchedMax,
    example: 1,
    description: `Jobs of the filter, counted up to ${matchedMax}`,
  })
  matched!: number;

  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export class ReRunAnswerDto extends BulkAnswerDto {
  @ApiProperty({ type: [ReRunJobDto], description: 'Newest first' }) jobs!: ReRunJobDto[];

  @ApiProperty({ type: Number, example: 0.5, description: 'What the runs of this page may cost at most, US dollars' })
  cost_usd_max!: number;

  @ApiProperty({
    type: Number,
    example: 0.12,
    description:
      'An estimate, US dollars, by the last 100 runs of the company for persons, or for companies: the average of those that asked for as much, else in proportion to what is asked for. Without such a run: what is reserved',
  })
  expected_cost_usd!: number;
}

export class BulkAbortAnswerDto extends BulkAnswerDto {
  @ApiProperty({ type: [AbortJobDto], description: 'Newest first' }) jobs!: AbortJobDto[];
}

export const timelineEntryDto = ({ at, lastAt, times, kind, details }: TimelineEntry): TimelineEntryDto => ({
  at: at.toISOString(),
  last_at: lastAt.toISOString(),
  times,
  kind,
  details,
});

const bulkJob = ({ job, outcome }: BulkResult) => ({
  job_id: job.id,
  user_company_id: job.userCompanyId,
  network_handle: job.networkHandle,
  entity: job.entity,
  outcome,
});

export const reRunAnswer = (
  { matched, results, costMicroUsdMax, expectedCostMicroUsd }: ReRunAnswer,
  rest: Pick<ReRunAnswerDto, 'dry_run' | 'next_cursor'>,
): ReRunAnswerDto => ({
  ...{ ...rest, matched, cost_usd_max: toUsd(costMicroUsdMax), expected_cost_usd: toUsd(expectedCostMicroUsd) },
  jobs: results.map((result) => ({ ...bulkJob(result), new_job_id: result.newJobId ?? null })),
});

export const bulkAbortAnswer = (
  { matched, results }: BulkAnswer,
  rest: Pick<BulkAbortAnswerDto, 'dry_run' | 'next_cursor'>,
): BulkAbortAnswerDto => ({ ...rest, matched, jobs: results.map(bulkJob) });
