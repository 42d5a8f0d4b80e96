import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsPageCursor, nextCursorProperty, pageCursorProperty } from '@tradewind/service-kit';
import { IsMonthKey, MayBeAbsent } from '@tradewind/shared-types';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { listLimitDefault, listLimitMax, profilesPerRunMax } from './run-limits.js';
import type { Run } from './run.entity.js';
import type { MonthOfRuns } from './run.types.js';
import type { BegunRun } from './runs.service.js';

/** Body of `POST /run`; every field may be left out, and so may the body. */
export class StartRunDto {
  @ApiProperty({
    type: String,
    required: false,
    example: '2026-11',
    description:
      'Month key; the current month (UTC) unless given. Another one needs the role ADMIN or a service token, but for a dry run',
  })
  @MayBeAbsent()
  @IsMonthKey()
  month?: string;

  @ApiProperty({
    type: Boolean,
    required: false,
    description: 'Publishes again what this month has published already; needs the role ADMIN or a service token',
  })
  @MayBeAbsent()
  @IsBoolean()
  force?: boolean;

  @ApiProperty({ type: Boolean, required: false, description: 'Selects and counts, publishes nothing' })
  @MayBeAbsent()
  @IsBoolean()
  dry_run?: boolean;

  @ApiProperty({
    type: Number,
    required: false,
    minimum: 1,
    maximum: profilesPerRunMax,
    description: 'Most profiles to publish',
    example: 500,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(profilesPerRunMax)
  limit?: number;
}

const limitMessage = `limit must be an integer from 1 to ${listLimitMax}`;

class PageQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: listLimitMax, default: listLimitDefault })
  @Type(() => Number)
  @IsInt({ message: limitMessage })
  @Min(1, { message: limitMessage })
  @Max(listLimitMax, { message: limitMessage })
  limit: number = listLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

/** Query of `GET /months`. */
export class MonthsQuery extends PageQuery {}

/** Query of `GET /runs`. */
export class RunsQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, example: '2026-11', description: 'Only the runs of this month' })
  @MayBeAbsent()
  @IsMonthKey()
  month?: string;
}

export class RunDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Who asked for the run: `sub` of a user, name of a service token, `scheduler` or `operator`; null when nobody was known',
    example: 'scheduler',
  })
  triggered_by!: string | null;

  @ApiProperty({ type: String, format: 'uuid' })
  run_id!: string;

  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: String, enum: ['selecting', 'publishing', 'completed'] })
  status!: Run['state'];

  @ApiProperty({ type: Boolean })
  forced!: boolean;

  @ApiProperty({ type: Boolean })
  dry_run!: boolean;

  @ApiProperty({ type: Number, nullable: true, example: 500 })
  limit!: number | null;

  @ApiProperty({ type: Number, description: 'Profiles in the batches of this run', example: 1200 })
  selected!: number;

  @ApiProperty({ type: Number, description: 'Rows of priority people read', example: 1310 })
  people_read!: number;

  @ApiProperty({ type: Number, description: 'People without a username in the network', example: 60 })
  without_username!: number;

  @ApiProperty({ type: Number, description: 'Usernames that cannot be the handle of a profile', example: 10 })
  unusable_usernames!: number;

  @ApiProperty({ type: Number, description: 'Usernames that occurred before, after normalising', example: 40 })
  duplicates!: number;

  @ApiProperty({
    type: Number,
    description: 'Profiles left out because an earlier run of the month has published them',
    example: 0,
  })
  published_before!: number;

  @ApiProperty({ type: Number, example: 12 })
  total_batches!: number;

  @ApiProperty({ type: Number, example: 12 })
  published_batches!: number;

  @ApiProperty({ type: Number, example: 1200 })
  published_profiles!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the run was interrupted last; it is resumed automatically',
    example: null,
  })
  last_error!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;
}

/** Answer of `GET /runs`. */
export class RunsAnswer {
  @ApiProperty({ type: RunDto, isArray: true })
  runs!: RunDto[];

  @ApiProperty({ ...nextCursorProperty, example: null })
  next_cursor!: string | null;
}

export class MonthDto {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Dry runs aside' })
  runs!: number;

  @ApiProperty({ type: 'integer', example: 250, description: 'Profiles of its runs; forced runs count theirs again' })
  selected!: number;

  @ApiProperty({ type: 'integer', example: 250 })
  published_profiles!: number;

  @ApiProperty({ type: Boolean, example: true, description: 'Whether no run is under way' })
  is_finished!: boolean;

  @ApiProperty({ type: Boolean, example: true, description: 'Whether a run has published the whole month' })
  is_whole!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-01T06:00:00.123Z' })
  first_run_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-01T06:00:00.123Z' })
  last_run_at!: string;
}

/** Answer of `GET /months`. */
export class MonthsAnswer {
  @ApiProperty({ type: MonthDto, isArray: true })
  months!: MonthDto[];

  @ApiProperty({ ...nextCursorProperty, example: null })
  next_cursor!: string | null;
}

/** Answer of `POST /run`. */
export class StartRunAnswer extends RunDto {
  @ApiProperty({
    type: String,
    enum: ['started', 'resumed', 'already_published'],
    description: 'already_published: this run publishes only people who are new since the month was published',
  })
  outcome!: 'started' | 'resumed' | 'already_published';

  @ApiProperty({ type: String, example: 'Published 1200 profiles in 12 batches' })
  message!: string;
}

export function toRunDto(run: Run): RunDto {
  return {
    run_id: run.runId,
    triggered_by: run.triggeredBy,
    month: run.month,
    status: run.state,
    forced: run.forced,
    dry_run: run.dryRun,
    limit: run.limit,
    selected: run.selected,
    people_read: run.peopleRead,
    without_username: run.withoutUsername,
    unusable_usernames: run.unusableUsernames,
    duplicates: run.duplicates,
    published_before: run.publishedBefore,
    total_batches: run.totalBatches,
    published_batches: run.publishedBatches,
    published_profiles: run.publishedProfiles,
    last_error: run.lastError,
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

export function toMonthDto(of: MonthOfRuns): MonthDto {
  return {
    month: of.month,
    runs: of.runs,
    selected: of.selected,
    published_profiles: of.publishedProfiles,
    is_finished: of.isFinished,
    is_whole: of.isWhole,
    first_run_at: of.firstRunAt.toISOString(),
    last_run_at: of.lastRunAt.toISOString(),
  };
}

/** What `POST /run` and the command say about a run that has begun. */
export function runMessage({ run, outcome }: Pick<BegunRun, 'run' | 'outcome'>): string {
  switch (outcome) {
    case 'started':
      return `Run ${run.runId} of ${run.month} has started.`;
    case 'resumed':
      return `Run ${run.runId} of ${run.month} was unfinished and is resumed.`;
    case 'already_published':
      return run.state === 'completed'
        ? `${run.month} has been published by run ${run.runId}; nothing new is published unless forced.`
        : `${run.month} has been published; run ${run.runId} publishes only people who are new since.`;
  }
}
