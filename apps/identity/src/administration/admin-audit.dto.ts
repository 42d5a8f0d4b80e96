// What is asked of the audit log, and what it answers.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  daysDefault,
  daysProperty,
  IsDays,
  nextCursorProperty,
  IsPageCursor,
  IsPageLimit,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { IsInstant, MayBeAbsent } from '@tradewind/shared-types';
import { IsUUID } from 'class-validator';
import type { AuditEvent } from '../audit/audit-event.entity.js';
import type { AuditFilter } from '../audit/audit.store.js';
import { IsPlainText } from './field-rules.js';

/** Longest id of a client and name of an event, characters. */
const textLengthMax = 200;
const userId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';

export class AuditQueryDto {
  @ApiPropertyOptional({ type: String, format: 'uuid', example: userId, description: 'Whom it concerns' })
  @MayBeAbsent()
  @IsUUID()
  user_id?: string;

  @ApiPropertyOptional({ type: String, maxLength: textLengthMax, example: 'reports', description: 'What it concerns' })
  @MayBeAbsent()
  @IsPlainText(textLengthMax)
  client_id?: string;

  @ApiPropertyOptional({ type: String, maxLength: textLengthMax, example: 'login.failed' })
  @MayBeAbsent()
  @IsPlainText(textLengthMax)
  event?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2026-11-01T00:00:00Z',
    description: 'From then on',
  })
  @MayBeAbsent()
  @IsInstant()
  since?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2026-12-01T00:00:00Z',
    description: 'Before then',
  })
  @MayBeAbsent()
  @IsInstant()
  until?: string;
}

export class AuditListQueryDto extends AuditQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class AuditEventDto {
  @ApiProperty({ type: String, example: '4711', description: 'Higher for later events' }) id!: string;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.123Z' }) at!: string;
  @ApiProperty({ type: String, example: 'user.disabled' }) event!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: userId, description: 'Whom it concerns' })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The client that it concerns' })
  client_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7', description: 'Where the request came from' })
  ip!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { by: userId },
    description: '`by`: `sub` of the user or name of the service token who did it, or `operator`',
  })
  details!: Record<string, unknown>;
}

export class AuditPageDto {
  @ApiProperty({ type: [AuditEventDto], description: 'Newest first' }) events!: AuditEventDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const auditEventDto = ({ id, at, event, userId: user, clientId, ip, details }: AuditEvent): AuditEventDto => ({
  id,
  at: at.toISOString(),
  event,
  user_id: user,
  client_id: clientId,
  ip,
  details,
});

export const auditFilter = ({ user_id, client_id, event, since, until }: AuditQueryDto): AuditFilter => ({
  userId: user_id,
  clientId: client_id,
  event,
  since: since === undefined ? undefined : new Date(since),
  until: until === undefined ? undefined : new Date(until),
});

export class SignInDaysQueryDto {
  @ApiPropertyOptional(daysProperty)
  @IsDays()
  days: number = daysDefault;
}

class SignInDayDto {
  @ApiProperty({ type: String, format: 'date', example: '2026-11-24' }) day!: string;
  @ApiProperty({ type: 'integer', example: 42, description: 'On the pages and by direct login' }) succeeded!: number;
  @ApiProperty({ type: 'integer', example: 3, description: 'A wrong password or second factor' }) failed!: number;
}

export class SignInDaysDto {
  @ApiProperty({ type: [SignInDayDto], description: 'Each day, also those without a sign-in; the last one is today' })
  days!: SignInDayDto[];
}
