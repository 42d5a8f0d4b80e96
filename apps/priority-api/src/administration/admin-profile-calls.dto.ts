// What the calls of a profile take and answer.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { profileCallStates, type ProfileCallState } from '@tradewind/shared-types';
import { IsString } from 'class-validator';
import { monthlyGeneration } from '../batch-message.js';
import type { CallOfProfile } from '../profile-calls/profile-call.types.js';

const date = '2026-11-24T10:00:00.123Z';
const id = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';

export class ProfilePathDto {
  @ApiProperty({ type: String, example: 'ada-lovelace', description: 'Handle or address of the profile' })
  @IsString()
  username!: string;
}

export class CallListQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class CallRetryDto {
  @ApiProperty({ type: String, format: 'uuid', example: id }) plan_id!: string;
  @ApiProperty({ type: String, format: 'date-time', example: date }) retried_at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'operator',
    description: '`sub` of a user, name of a service token, or operator',
  })
  requested_by!: string | null;
}

export class ProfileCallDto {
  @ApiProperty({ type: String, example: '2026-11' }) month!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null, description: 'Null: the monthly run' })
  forced_run_id!: string | null;

  @ApiProperty({ type: String, format: 'uuid', example: id }) person_id!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 7, description: 'Null: a retry started it first' })
  batch_number!: number | null;

  @ApiProperty({ type: String, format: 'date-time', example: date, description: 'When its batch came' })
  received_at!: string;

  @ApiProperty({ type: String, enum: profileCallStates, example: 'started' }) state!: ProfileCallState;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it is not started, or counts as lost' })
  reason!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: date }) started_at!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'SCRAPE_ID', description: 'At the provider' })
  scrape_id!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Since when it counts as lost',
  })
  lost_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: date,
    description: 'As far as it is known here',
  })
  delivered_at!: string | null;

  @ApiProperty({ type: String, nullable: true, enum: ['SUCCESS', 'FAILED'], example: 'SUCCESS' })
  delivered_status!: string | null;

  @ApiProperty({ type: [CallRetryDto], description: 'Latest first' }) retries!: CallRetryDto[];
}

export class CallPageDto {
  @ApiProperty({ type: [ProfileCallDto], description: 'Latest month first' }) calls!: ProfileCallDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const profileCallDto = (call: CallOfProfile): ProfileCallDto => ({
  month: call.month,
  forced_run_id: call.generation === monthlyGeneration ? null : call.generation,
  person_id: call.personId,
  batch_number: call.batchNumber,
  received_at: call.createdAt.toISOString(),
  state: call.state,
  reason: call.reason,
  started_at: call.startedAt?.toISOString() ?? null,
  scrape_id: call.scrapeId,
  lost_at: call.lostAt?.toISOString() ?? null,
  delivered_at: call.deliveredAt?.toISOString() ?? null,
  delivered_status: call.deliveredStatus,
  retries: call.retries,
});
