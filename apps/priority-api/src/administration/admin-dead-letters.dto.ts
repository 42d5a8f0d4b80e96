// What the administration of dead letters takes and answers.
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
import { IsBoolean, IsObject, Matches, ValidateBy } from 'class-validator';
import { contentOf, fieldsOf, stateOf } from '../dead-letters/dead-letter-display.js';
import type { DeadLetter } from '../dead-letters/dead-letter.entity.js';
import type { ListedDeadLetter } from '../dead-letters/dead-letters.store.js';

const reasonLengthMax = 500;
/** Not `forced_run_id`, by which profiles that were paid for would be bought again. */
const correctable = ['batch_number', 'total_batches', 'month'];
const sha256 = 'a3f5c1'.padEnd(64, '0');
const date = '2026-11-24T10:00:00.123Z';
const profiles = {
  profiles: [{ network_username: 'ada-lovelace', person_id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' }],
};

export class DeadLetterListQueryDto {
  @ApiPropertyOptional({ type: Boolean, default: false, description: 'Also those that were redriven or dropped' })
  @MayBeAbsent()
  @Transform(({ value }: TransformFnParams): unknown => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  with_handled: boolean = false;

  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class DeadLetterPathDto {
  @ApiProperty({ type: String, pattern: '^[0-9]{1,18}$', example: '7' })
  @Matches(/^\d{1,18}$/)
  id!: string;
}

export class RedriveDto {
  @ApiPropertyOptional({ type: Boolean, default: false, description: 'Only the plan: nothing is received or started' })
  @MayBeAbsent()
  @IsBoolean()
  dry_run: boolean = false;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Received instead of what `message.data` holds; checked like a batch',
    example: profiles,
  })
  @MayBeAbsent()
  @IsObject()
  content?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Replace attributes of the same names: batch_number, total_batches, month',
    example: { batch_number: '1', total_batches: '1' },
  })
  @MayBeAbsent()
  @ValidateBy({
    name: 'isTexts',
    validator: {
      validate: (value) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.entries(value as object).every(([name, text]) => correctable.includes(name) && typeof text === 'string'),
      defaultMessage: () => `$property must be an object of texts named ${correctable.join(', ')}`,
    },
  })
  attributes?: Record<string, string>;
}

export class DropDto {
  @ApiProperty({ type: String, maxLength: reasonLengthMax, example: 'a test message' })
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

export class DeadLetterDto {
  @ApiProperty({ type: String, example: '7' }) id!: string;
  @ApiProperty({ type: String, nullable: true, example: '12345', description: 'Of the queue' }) message_id!:
    string | null;
  @ApiProperty({ type: String, example: 'profiles must be a list with at least one profile' }) reason!: string;
  @ApiProperty({ type: 'integer', example: 1, description: 'How often it was received' }) deliveries!: number;
  @ApiProperty({ type: String, format: 'date-time', example: date }) first_received_at!: string;
  @ApiProperty({ type: String, format: 'date-time', example: date }) last_received_at!: string;
  @ApiProperty({ type: String, enum: ['open', 'redriven', 'dropped'], example: 'open' }) state!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null }) handled_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`sub` of a user, name of a service token, or operator',
  })
  handled_by!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it was dropped' })
  drop_reason!: string | null;
}

export class DeadLetterDetailsDto extends DeadLetterDto {
  @ApiProperty({ type: 'object', additionalProperties: true, example: { batch_number: '1' } })
  attributes!: unknown;

  @ApiProperty({
    type: String,
    enum: ['json', 'text', 'not_decodable'],
    example: 'json',
    description: 'What `content` is: JSON, a text that is no JSON, or what came and is no text in base64',
  })
  content_kind!: string;

  @ApiProperty({ description: 'What the message holds, decoded', example: profiles }) content!: unknown;

  @ApiProperty({ nullable: true, example: null, description: 'What was received instead, decoded; null: nothing' })
  corrected_content!: unknown;

  @ApiProperty({
    type: String,
    nullable: true,
    example: sha256,
    description: 'SHA-256 of the JSON of the message as it was kept, at the moment when it was sent again',
  })
  kept_sha256!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: sha256,
    description: 'SHA-256 of the JSON of what was received instead; the same as `kept_sha256` without a correction',
  })
  received_sha256!: string | null;
}

export class DeadLetterPageDto {
  @ApiProperty({ type: [DeadLetterDto], description: 'Latest first' }) dead_letters!: DeadLetterDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export class RedriveAnswerDto extends DeadLetterDto {
  @ApiProperty({ type: Boolean, example: false, description: 'Whether this is a plan, and nothing was changed' })
  dry_run!: boolean;

  @ApiProperty({ type: String, example: '2026-11', description: 'To which its profiles count' }) month!: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'In the message, each once' }) profiles!: number;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'Of these, those that the month had not received. Each is started, and paid for',
  })
  profiles_new!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'What `profiles_new` cost at PROFILE_COST_USD each, US dollars; null when that is not set',
    example: 0.01,
  })
  expected_cost_usd!: number | null;

  @ApiProperty({ type: 'integer', example: 1, description: 'Started at once; the rest follows in the background' })
  profiles_triggered!: number;
}

export const deadLetterDto = (letter: ListedDeadLetter): DeadLetterDto => ({
  id: letter.id,
  message_id: letter.message_id,
  reason: letter.reason,
  deliveries: letter.deliveries,
  first_received_at: letter.first_received_at.toISOString(),
  last_received_at: letter.last_received_at.toISOString(),
  state: stateOf(letter),
  handled_at: (letter.redriven_at ?? letter.dropped_at)?.toISOString() ?? null,
  handled_by: letter.redriven_by ?? letter.dropped_by,
  drop_reason: letter.drop_reason,
});

export function deadLetterDetailsDto(letter: DeadLetter): DeadLetterDetailsDto {
  const content = contentOf(letter.message);
  const corrected = letter.corrected === null ? undefined : contentOf(letter.corrected);
  return {
    ...deadLetterDto(letter),
    attributes: fieldsOf(letter.message)['attributes'] ?? {},
    content_kind: content.kind,
    content: content.kind === 'json' ? content.value : content.text,
    corrected_content: corrected?.kind === 'json' ? corrected.value : null,
    kept_sha256: letter.kept_sha256,
    received_sha256: letter.received_sha256,
  };
}
