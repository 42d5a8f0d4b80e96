// What the interactions endpoints answer (pipelines.md, Resources and Endpoints A).
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { runStatuses, type ProfileEntity } from '@tradewind/scraping-provider';
import { nextCursorProperty } from '@tradewind/service-kit';
import { trackerStatuses, type TrackerStatus } from '../tracker/tracker.types.js';
import { entities } from './interactions.dto.js';

export class JobResultDto {
  @ApiProperty({ type: String, example: 'ada-lovelace' }) network_handle!: string;

  @ApiProperty({ type: String, enum: entities })
  entity!: ProfileEntity;

  @ApiPropertyOptional({
    type: String,
    description: "The provider's run id; only of successful targets",
    example: 'HG7ML7M8z78YcAPEB',
  })
  run_id?: string;

  @ApiProperty() success!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null on success; begins with PENDING when the start goes on in the background',
    example: null,
  })
  error!: string | null;
}

/** The provider's statuses of a run, and PENDING for a job that has no run yet. */
const abortResultStatuses = [...runStatuses, 'PENDING'] as const;
export type AbortResultStatus = (typeof abortResultStatuses)[number];

export class AbortResultDto extends JobResultDto {
  @ApiProperty({
    type: String,
    enum: abortResultStatuses,
    nullable: true,
    description:
      'ABORTED on success. Else the status of the run at the provider, or of the job before it has a run. Null when there is no active run',
  })
  status!: AbortResultStatus | null;
}

export class TriggerAnswerDto {
  @ApiProperty({ type: Boolean, description: 'True when at least one target succeeded' })
  success!: boolean;

  @ApiProperty({ type: String, example: 'Triggered 2/3 jobs successfully.' })
  message!: string;

  @ApiProperty({ type: String, example: 'acme' }) user_company_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada' }) trigger_user_id!: string | null;
  @ApiProperty({ type: 'integer', example: 3 }) total_targets!: number;
  @ApiProperty({ type: 'integer', example: 2 }) successful_count!: number;
  @ApiProperty({ type: 'integer', example: 1 }) failed_count!: number;

  @ApiProperty({ type: [JobResultDto], description: 'In the order of the targets' })
  results!: JobResultDto[];
}

export class AbortAnswerDto {
  @ApiProperty({ type: Boolean, description: 'True when at least one target succeeded' })
  success!: boolean;

  @ApiProperty({ type: String, example: 'Aborted 1/1 runs successfully.' })
  message!: string;

  @ApiProperty({ type: String, example: 'acme' }) user_company_id!: string;
  @ApiProperty({ type: 'integer', example: 1 }) total_targets!: number;
  @ApiProperty({ type: 'integer', example: 1 }) successful_count!: number;
  @ApiProperty({ type: 'integer', example: 0 }) failed_count!: number;

  @ApiProperty({ type: [AbortResultDto], description: 'In the order of the targets' })
  results!: AbortResultDto[];
}

export class InteractionDto {
  @ApiProperty({ type: String, format: 'uuid', description: 'Our own id; the provider knows it as correlation id' })
  job_id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The provider's run id; null until the run is started",
    example: 'HG7ML7M8z78YcAPEB',
  })
  run_id!: string | null;

  @ApiProperty({ type: String, example: 'ada-lovelace' }) network_handle!: string;

  @ApiProperty({ type: String, enum: entities })
  entity!: ProfileEntity;

  @ApiProperty({ type: String, enum: trackerStatuses })
  status!: TrackerStatus;

  @ApiProperty({ type: String, example: 'acme' }) user_company_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada' }) trigger_user_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Caller that started the job: `sub` of a user or name of a service token; null when nobody was known',
    example: '0b8f6a1c-6f3d-4b6e-9d53-0f1c2a7e4d21',
  })
  triggered_by!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Caller that asked first for an abort, likewise',
    example: null,
  })
  aborted_by!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null until completed', example: 12 })
  posts_count!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null until completed', example: 340 })
  reactions_count!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null until completed', example: 25 })
  comments_count!: number | null;

  @ApiProperty({
    type: 'integer',
    description: 'Items of the run that fit no table and are kept beside them',
    example: 0,
  })
  left_over_count!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'What the run cost at the provider, US dollars; null until the run has ended, and without a run',
    example: 0.42,
  })
  cost_usd!: number | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the job completed or failed' })
  completed_date!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the job failed', example: null })
  error!: string | null;
}

export class InteractionPageDto {
  @ApiProperty({ type: [InteractionDto], description: 'Newest first' })
  interactions!: InteractionDto[];

  @ApiProperty(nextCursorProperty)
  next_cursor!: string | null;
}
