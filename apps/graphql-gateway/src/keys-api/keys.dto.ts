// What the REST endpoints of keys and usage take and answer.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { IsInstant, MayBeAbsent } from '@tradewind/shared-types';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsInt, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { keyStateOf, type ApiKey, type KeyState } from '../api-keys/api-key.entity.js';
import type { MadeKey } from '../api-keys/api-keys.service.js';
import type { AuditEntry, AuditOutcome } from '../api-keys/audit-entry.entity.js';
import { keyLifeDaysMax } from '../api-keys/create-api-key.dto.js';

/** Characters of an address or id that a list is filtered by. */
const filterCharsMax = 254;
const daysMessage = `expires_in_days must be an integer number from 1 to ${keyLifeDaysMax}`;
const example = {
  id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11',
  user: '0b8f6a1c-6f3d-4b6e-9d53-0f1c2a7e4d21',
  time: '2026-11-24T10:15:00.000Z',
};
/** Text for lists and logs, one line each; PostgreSQL refuses NUL and half characters. */
const IsOneLine = () => Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: '$property must not hold control characters' });

class KeyLife {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: keyLifeDaysMax, example: 90 })
  @MayBeAbsent()
  @IsInt({ message: daysMessage })
  @Min(1, { message: daysMessage })
  @Max(keyLifeDaysMax, { message: daysMessage })
  expires_in_days?: number;
}

export class MakeKeyDto extends KeyLife {
  @ApiProperty({ type: String, minLength: 1, maxLength: 100, example: 'nightly import' })
  @Transform(({ value }: TransformFnParams): unknown => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @Length(1, 100, { message: 'name must have 1 to 100 characters' })
  @IsOneLine()
  name!: string;
}

/** Without a number of days, the new key lives as long as the old one did from its beginning. */
export class RotateKeyDto extends KeyLife {}

export class PageQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class AllKeysQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: 'Email or id of the user', example: 'ada@example.com' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(filterCharsMax)
  @IsOneLine()
  user?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The first 8 characters of the key, or its id',
    example: 'svc_1a2b',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(filterCharsMax)
  @IsOneLine()
  key?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Active keys that expire before then',
    example: '2026-12-08T10:15:00.000Z',
  })
  @MayBeAbsent()
  @IsInstant()
  expires_before?: string;
}

const states = ['active', 'revoked', 'expired'] as const satisfies readonly KeyState[];
const instant = { type: String, format: 'date-time', example: example.time } as const;

export class KeyDto {
  @ApiProperty({ type: String, format: 'uuid', example: example.id })
  id!: string;

  @ApiProperty({ type: String, example: 'nightly import' })
  name!: string;

  @ApiProperty({ type: String, description: 'The first 8 characters; the rest is not kept', example: 'svc_1a2b' })
  begins!: string;

  @ApiProperty({ type: String, enum: states, example: 'active' })
  state!: KeyState;

  @ApiProperty(instant)
  created_at!: string;

  @ApiProperty({ ...instant, example: '2027-11-24T10:15:00.000Z' })
  expires_at!: string;

  @ApiProperty({ ...instant, nullable: true, example: null })
  revoked_at!: string | null;

  @ApiProperty({ ...instant, nullable: true, description: 'Up to 10 seconds old; null: not used so far' })
  last_used_at!: string | null;
}

export class MadeKeyDto extends KeyDto {
  @ApiProperty({
    type: String,
    description: 'The key. It is shown this once: store it in a secret vault',
    example: 'svc_1a2b...',
  })
  key!: string;
}

export class KeysDto {
  @ApiProperty({ type: [KeyDto], description: 'Newest first' })
  keys!: KeyDto[];

  @ApiProperty(nextCursorProperty)
  next_cursor!: string | null;
}

export class OwnedKeyDto extends KeyDto {
  @ApiProperty({ type: String, format: 'uuid', example: example.user })
  user_id!: string;

  @ApiProperty({ type: String, description: 'Address of the user when the key was made', example: 'ada@example.com' })
  user_email!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Company of the user when the key was made; null: none, or not known',
    example: 'acme',
  })
  user_company_id!: string | null;
}

export class OwnedKeysDto {
  @ApiProperty({ type: [OwnedKeyDto], description: 'Newest first' })
  keys!: OwnedKeyDto[];

  @ApiProperty(nextCursorProperty)
  next_cursor!: string | null;
}

const outcomes = [
  'created',
  'used',
  'refused_expired',
  'refused_revoked',
  'refused_unknown',
  'rate_limited',
  'revoked',
] as const satisfies readonly AuditOutcome[];

export class KeyEventDto {
  @ApiProperty(instant)
  at!: string;

  @ApiProperty({ type: String, enum: outcomes, example: 'used' })
  outcome!: AuditOutcome;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Who made or revoked the key: `sub` of a user, name of a service token, or `operator`. Null for uses, refusals, and a key that ended with the credentials of its user',
    example: null,
  })
  by!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address, or network of refusals that share an entry',
    example: '203.0.113.7',
  })
  ip!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'NightlyImport' })
  operation!: string | null;

  @ApiProperty({ type: 'integer', description: 'Refusals of one minute may share an entry', example: 1 })
  times!: number;
}

export class KeyEventsDto {
  @ApiProperty({ type: [KeyEventDto], description: 'Newest first' })
  events!: KeyEventDto[];

  @ApiProperty(nextCursorProperty)
  next_cursor!: string | null;
}

export class LimitUseDto {
  @ApiProperty({ type: 'integer', example: 10 })
  limit!: number;

  @ApiProperty({ type: 'integer', example: 3 })
  used!: number;

  @ApiProperty({ type: 'integer', example: 7 })
  remaining!: number;

  @ApiProperty({ type: 'integer', example: 86_400 })
  window_seconds!: number;

  @ApiProperty({ ...instant, example: '2026-11-25T00:00:00.000Z' })
  resets_at!: string;
}

export class UsageDto {
  @ApiProperty({ type: LimitUseDto, description: 'Data calls of the day (UTC), of all keys of the user together' })
  data_calls!: LimitUseDto;

  @ApiProperty({ type: LimitUseDto, description: 'Other requests' })
  requests!: LimitUseDto;

  @ApiProperty({
    type: 'integer',
    description: 'Requests with a key that were answered 429 since 00:00 UTC; up to a minute old',
    example: 0,
  })
  refused_today!: number;
}

export function toKeyDto(key: ApiKey, now: Date): KeyDto {
  return {
    id: key.id,
    name: key.name,
    begins: key.prefix,
    state: keyStateOf(key, now),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

export function toMadeKeyDto(made: MadeKey, now: Date): MadeKeyDto {
  return { key: made.text, ...toKeyDto(made, now) };
}

export function toOwnedKeyDto(key: ApiKey, now: Date): OwnedKeyDto {
  return {
    ...toKeyDto(key, now),
    user_id: key.userId,
    user_email: key.userEmail,
    user_company_id: key.companyId,
  };
}

export function toKeyEventDto({ at, outcome, changedBy, ip, operationName, occurrences }: AuditEntry): KeyEventDto {
  return {
    at: at.toISOString(),
    outcome,
    by: changedBy ?? null,
    ip,
    operation: operationName,
    times: occurrences ?? 1,
  };
}
