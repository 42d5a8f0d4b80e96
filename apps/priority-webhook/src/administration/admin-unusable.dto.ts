// What the administration of unusable webhooks takes and answers.
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
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsBoolean, Matches, ValidateBy } from 'class-validator';
import type { UnusablePayload } from '../unusable/unusable-payload.entity.js';

const reasonLengthMax = 500;
const date = '2026-11-24T10:00:00.123Z';
const fingerprintPattern = /^[0-9a-f]{64}$/;
const fingerprint = 'a'.repeat(64);

export const isFingerprint = (text: string): boolean => fingerprintPattern.test(text);

export class UnusableListQueryDto {
  @ApiPropertyOptional({ type: Boolean, default: false, description: 'Also those that were dropped' })
  @MayBeAbsent()
  @Transform(({ value }: TransformFnParams): unknown => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  with_dropped: boolean = false;

  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class UnusablePathDto {
  @ApiProperty({ type: String, pattern: fingerprintPattern.source, example: fingerprint })
  @Matches(fingerprintPattern)
  id!: string;
}

export class DropDto {
  @ApiProperty({ type: String, maxLength: reasonLengthMax, example: 'a test of the provider' })
  @ValidateBy({
    name: 'isReason',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        value.length <= reasonLengthMax &&
        value.trim() !== '' &&
        !/[\p{Cc}\p{Cs}]/u.test(value),
      defaultMessage: () =>
        `$property must be a non-empty text of at most ${reasonLengthMax} characters, without control characters`,
    },
  })
  reason!: string;
}

export class UnusableDto {
  @ApiProperty({ type: String, example: fingerprint, description: 'SHA-256 of the body' }) id!: string;
  @ApiProperty({ type: String, example: 'url must be the address of a profile' }) reason!: string;
  @ApiProperty({ type: 'integer', example: 1, description: 'How often it was received' }) times!: number;
  @ApiProperty({ type: String, nullable: true, example: null }) correlation_id!: string | null;
  @ApiProperty({ type: String, format: 'date-time', example: date }) first_received_at!: string;
  @ApiProperty({ type: String, format: 'date-time', example: date }) last_received_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Null while it is open: it was never dropped, or has come again',
  })
  dropped_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When it was dropped the last time, also when it has come again',
  })
  last_dropped_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Who did: `sub` of a user or name of a service token',
  })
  dropped_by!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'And why' }) drop_reason!: string | null;
}

export class UnusableDetailsDto extends UnusableDto {
  @ApiProperty({ description: 'As it came', example: { url: 'https://example.com/' } }) body!: unknown;
}

export class UnusablePageDto {
  @ApiProperty({ type: [UnusableDto], description: 'Latest first' }) unusable_webhooks!: UnusableDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const unusableDto = (payload: Omit<UnusablePayload, 'body'>): UnusableDto => ({
  id: payload.fingerprint,
  reason: payload.reason,
  times: payload.times,
  correlation_id: payload.correlation_id,
  first_received_at: payload.first_received_at.toISOString(),
  last_received_at: payload.last_received_at.toISOString(),
  dropped_at: payload.dropped_at?.toISOString() ?? null,
  last_dropped_at: payload.last_dropped_at?.toISOString() ?? null,
  dropped_by: payload.dropped_by,
  drop_reason: payload.drop_reason,
});

export const unusableDetailsDto = (payload: UnusablePayload): UnusableDetailsDto => ({
  ...unusableDto(payload),
  body: payload.body,
});
