// What the administration of the inbox takes and answers.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { MayBeAbsent } from '@tradewind/shared-types';
import { IsUUID, Matches } from 'class-validator';
import { IsPlainText } from '../jobs-api/field-rules.js';
import type { InboxEntry } from '../webhook/inbox.store.js';

/** Longest id of a run, characters. */
const runIdLengthMax = 200;
const jobId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
const date = '2026-11-24T10:00:00.123Z';
const outcomes = ['applied', 'ignored', 'orphan'] as const;

export class WebhookListQueryDto {
  @ApiPropertyOptional({ type: String, maxLength: runIdLengthMax, example: 'RUN_ID' })
  @MayBeAbsent()
  @IsPlainText(runIdLengthMax)
  run_id?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    example: jobId,
    description: 'A caller who belongs to a company has to name a job or a run',
  })
  @MayBeAbsent()
  @IsUUID()
  job_id?: string;

  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class WebhookPathDto {
  @ApiProperty({ type: String, pattern: '^[0-9]{1,18}$', example: '4711' })
  @Matches(/^\d{1,18}$/)
  webhook_id!: string;
}

export class WebhookDto {
  @ApiProperty({ type: String, example: '4711' }) id!: string;
  @ApiProperty({ type: String, example: 'RUN_ID' }) run_id!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: jobId }) job_id!: string | null;
  @ApiProperty({ type: String, example: 'ACTOR.RUN.SUCCEEDED' }) event_type!: string;
  @ApiProperty({ type: String, format: 'date-time', example: date }) received_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: date, description: 'Null: it waits' })
  processed_at!: string | null;

  @ApiProperty({
    type: String,
    enum: outcomes,
    nullable: true,
    example: 'applied',
    description: 'applied: its job was looked at; ignored: its job had ended; orphan: its job has another run',
  })
  outcome!: InboxEntry['outcome'];
}

export class WebhookWithPayloadDto extends WebhookDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What the provider sent',
    example: { eventType: 'ACTOR.RUN.SUCCEEDED', resource: { id: 'RUN_ID' } },
  })
  payload!: unknown;
}

export class WebhookPageDto {
  @ApiProperty({ type: [WebhookDto], description: 'Newest first' }) webhooks!: WebhookDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const webhookDto = ({
  id,
  runId,
  jobId: job,
  eventType,
  receivedAt,
  processedAt,
  outcome,
}: InboxEntry): WebhookDto => ({
  id,
  run_id: runId,
  job_id: job,
  event_type: eventType,
  received_at: receivedAt.toISOString(),
  processed_at: processedAt?.toISOString() ?? null,
  outcome,
});
