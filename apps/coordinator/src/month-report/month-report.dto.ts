import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { RetryOptions, type Month, type RetryResult } from '@tradewind/shared-types';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import type { ProfileSelection } from '../runs/run.types.js';
import { namesDefault, namesMax } from '../runs/run-limits.js';

const namesMessage = `names must be an integer from 0 to ${namesMax}`;

/** Query of `GET /months/:month/report`. */
export class MonthReportQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: namesMax,
    default: namesDefault,
    description: 'Most missing profiles to name',
  })
  @Type(() => Number)
  @IsInt({ message: namesMessage })
  @Min(0, { message: namesMessage })
  @Max(namesMax, { message: namesMessage })
  names: number = namesDefault;
}

export class MissingProfileDto {
  @ApiProperty({ type: String, example: 'ada-lovelace' })
  network_username!: string;

  @ApiProperty({ type: String, format: 'uuid' })
  person_id!: string;

  @ApiProperty({ type: String, description: 'Why it is not done', example: 'No webhook has arrived' })
  reason!: string;
}

export class ProfileSelectionDto {
  @ApiProperty({ type: String, format: 'uuid', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  run_id!: string;

  @ApiProperty({ type: Boolean, example: false })
  forced!: boolean;

  @ApiProperty({ type: 'integer', example: 7 })
  batch_number!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-01T06:00:00.123Z' })
  selected_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-01T06:01:00.123Z',
    description: 'Null while its batch is still to be published',
  })
  published_at!: string | null;

  @ApiProperty({ type: Boolean, example: false, description: 'Whether a later forced run publishes it again' })
  is_superseded!: boolean;
}

/** Answer of `GET /months/:month/profiles/:username`. */
export class ProfileSelectionsAnswer {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: String, example: 'ada-lovelace' })
  network_username!: string;

  @ApiProperty({ type: ProfileSelectionDto, isArray: true, description: 'Oldest first; none: it was not selected' })
  runs!: ProfileSelectionDto[];
}

export const profileSelectionDto = (selection: ProfileSelection): ProfileSelectionDto => ({
  run_id: selection.runId,
  forced: selection.isForced,
  batch_number: selection.batchNumber,
  selected_at: selection.selectedAt?.toISOString() ?? null,
  published_at: selection.publishedAt?.toISOString() ?? null,
  is_superseded: selection.isSuperseded,
});

/** Query of `GET /months/:month/missing`. */
export class MissingQuery {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

/** Answer of `GET /months/:month/missing`. */
export class MissingPageAnswer {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: MissingProfileDto, isArray: true, description: 'In the order in which they were published' })
  missing_profiles!: MissingProfileDto[];

  @ApiProperty({ ...nextCursorProperty, example: null })
  next_cursor!: string | null;
}

/** Answer of `GET /months/:month/report`; counts are profiles. */
export class MonthReportAnswer {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: Boolean, description: 'Whether every selected profile is stored and backed up' })
  is_complete!: boolean;

  @ApiProperty({ type: Number, example: 1200 })
  selected!: number;

  @ApiProperty({ type: Number, example: 1200 })
  published!: number;

  @ApiProperty({
    type: Number,
    description: 'Profiles whose start the provider confirmed, by its answer or its webhook',
    example: 1190,
  })
  started!: number;

  @ApiProperty({ type: Number, example: 1150 })
  received!: number;

  @ApiProperty({
    type: Number,
    description: 'Scraped profiles in the warehouse; failures are not counted',
    example: 1140,
  })
  stored!: number;

  @ApiProperty({ type: Number, description: 'Scraped profiles in the backup; failures are not counted', example: 1140 })
  backed_up!: number;

  @ApiProperty({
    type: Number,
    description: 'Profiles for which the provider reported a failure and nothing better',
    example: 10,
  })
  failed!: number;

  @ApiProperty({ type: Number, description: 'Profiles that are not both stored and backed up', example: 60 })
  missing!: number;

  @ApiProperty({
    type: MissingProfileDto,
    isArray: true,
    description: 'The first of them, as many as `names` asks for',
  })
  missing_profiles!: MissingProfileDto[];
}

/** Body of `POST /months/:month/retry-missing`; every field may be left out, and so may the body. */
export class RetryMissingDto extends RetryOptions {
  @ApiProperty({
    type: String,
    format: 'uuid',
    required: false,
    description: 'Names the retry: the same plan again starts nothing more. One is made up unless given',
  })
  declare plan_id?: string;

  @ApiProperty({ type: Boolean, required: false, default: false, description: 'Only reports what would be started' })
  declare dry_run?: boolean;
}

/** Answer of `POST /months/:month/retry-missing`; every profile of the month is counted once. */
export class RetryMissingAnswer implements RetryResult {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: Month;

  @ApiProperty({ type: String, format: 'uuid' })
  plan_id!: string;

  @ApiProperty({ type: Boolean, description: 'Whether nothing was started' })
  dry_run!: boolean;

  @ApiProperty({
    type: Number,
    description: 'Started by this plan: they ended without success, are overdue or never reached priority-api',
    example: 1190,
  })
  started!: number;

  @ApiProperty({
    type: Number,
    description: 'Left alone: not published yet, waiting for a start, started and expected, or being stored',
    example: 10,
  })
  on_their_way!: number;

  @ApiProperty({ type: Number, description: 'Left alone: scraped with success', example: 1140 })
  done!: number;

  @ApiProperty({ type: Number, description: 'Not known to priority-api as profiles of this month', example: 0 })
  not_known!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'What `started` profiles cost at PROFILE_COST_USD each, US dollars; null when that is not set',
    example: 11.9,
  })
  expected_cost_usd!: number | null;
}
