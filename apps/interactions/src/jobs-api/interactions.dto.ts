// What the interactions endpoints take (pipelines.md, Endpoints A). Defaults are the initial values of the fields.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  commentsPostedLimits,
  postedLimits,
  type CommentsPostedLimit,
  type PostedLimit,
  type ProfileEntity,
} from '@tradewind/scraping-provider';
import { IsInstant, MayBeAbsent, MayBeNull, networkHandleOf, networkUsernameLengthMax } from '@tradewind/shared-types';
import { Transform, Type, type TransformFnParams } from 'class-transformer';
import { IsBoolean, IsIn, IsString, ValidateNested } from 'class-validator';
import { trackerStatuses, type TrackerStatus } from '../tracker/tracker.types.js';
import {
  entityOf,
  HoldsObjects,
  HoldsTargetsOnce,
  IsFilledList,
  IsNetworkHandle,
  IsPlainText,
  IsWholeNumber,
  Rule,
} from './field-rules.js';

/** Kinds of pages. */
export const entities = ['PERSON', 'COMPANY'] as const satisfies readonly ProfileEntity[];

/** Longest id of a company or user that is taken, characters. */
const nameLengthMax = 200;
/** The provider counts in 32 bits. The settings have lower bounds (request-bounds.ts). */
const countMax = 2_147_483_647;

/** How the document names a bound that is a setting. */
function upTo(setting: 'MAX_POSTS' | 'MAX_REACTIONS' | 'MAX_COMMENTS'): string {
  return `at most the setting ${setting}, 1000 unless set`;
}

/** An address becomes its handle. What is no handle stays as it is, for the validation to refuse. */
export function toHandle({ value, obj }: TransformFnParams): unknown {
  if (typeof value !== 'string') return value as unknown;
  return networkHandleOf(value, entityOf(obj)) ?? value;
}

export class TargetDto {
  @ApiProperty({
    type: String,
    maxLength: networkUsernameLengthMax,
    description: 'Handle as in the profile URL; of a whole profile URL the handle is taken',
    example: 'ada-lovelace',
  })
  @Transform(toHandle)
  @IsNetworkHandle()
  network_handle!: string;

  @ApiProperty({ type: String, enum: entities })
  @IsIn(entities)
  entity!: ProfileEntity;
}

/** What every request for targets names. */
class TargetsRequestDto {
  @ApiProperty({ type: String, example: 'acme' })
  @IsPlainText(nameLengthMax)
  user_company_id!: string;

  @ApiProperty({ type: [TargetDto], minItems: 1 })
  @IsFilledList()
  @HoldsObjects()
  @HoldsTargetsOnce()
  @ValidateNested({ each: true })
  @Type(() => TargetDto)
  targets!: TargetDto[];
}

/** All posts since the profile began would be scraped: refused. */
function IsNotEverything() {
  return Rule('isNotEverything', (value, request) =>
    value !== 0 || (request as TriggerRequestDto).posted_limit !== 'any'
      ? undefined
      : ' must not be 0 (unlimited) when posted_limit is any: all posts since the profile began would be scraped',
  );
}

export class AbortRequestDto extends TargetsRequestDto {}

export class TriggerRequestDto extends TargetsRequestDto {
  @ApiPropertyOptional({ type: String, nullable: true, default: null })
  @MayBeNull()
  @IsPlainText(nameLengthMax)
  trigger_user_id: string | null = null;

  @ApiPropertyOptional({ type: String, enum: postedLimits, default: 'any' })
  @MayBeAbsent()
  @IsIn(postedLimits)
  posted_limit: PostedLimit = 'any';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    default: 10,
    description: `0 means unlimited, up to the limits of a run (settings RUN_ITEMS_MAX, RUN_CHARGE_USD_MAX); ${upTo('MAX_POSTS')}`,
  })
  @MayBeAbsent()
  @IsWholeNumber(0, countMax)
  @IsNotEverything()
  max_posts: number = 10;

  @ApiPropertyOptional({ type: Boolean, default: true })
  @MayBeAbsent()
  @IsBoolean()
  scrape_reactions: boolean = true;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    default: 5,
    description: `For each post; ${upTo('MAX_REACTIONS')}`,
  })
  @MayBeAbsent()
  @IsWholeNumber(1, countMax)
  max_reactions: number = 5;

  @ApiPropertyOptional({ type: Boolean, default: true })
  @MayBeAbsent()
  @IsBoolean()
  scrape_comments: boolean = true;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    default: 5,
    description: `For each post; ${upTo('MAX_COMMENTS')}`,
  })
  @MayBeAbsent()
  @IsWholeNumber(1, countMax)
  max_comments: number = 5;

  @ApiPropertyOptional({ type: String, enum: commentsPostedLimits, default: 'any' })
  @MayBeAbsent()
  @IsIn(commentsPostedLimits)
  comments_posted_limit: CommentsPostedLimit = 'any';
}

export class ListQueryDto {
  @ApiPropertyOptional({ type: String, example: 'acme' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  user_company_id?: string;

  @ApiPropertyOptional({
    type: [String],
    enum: trackerStatuses,
    description: 'Several: repeated, or separated by commas',
  })
  @MayBeAbsent()
  @Transform(({ value }: TransformFnParams): unknown =>
    [value as unknown].flat().flatMap((words) => (typeof words === 'string' ? words.split(',') : [words])),
  )
  @IsIn(trackerStatuses, { each: true })
  status?: TrackerStatus[];

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

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
  @MayBeAbsent()
  @Type(() => Number)
  @IsWholeNumber(1, 200)
  limit: number = 50;

  @ApiPropertyOptional({ type: String, description: '`next_cursor` of the page before', example: 'WzE3NjQwMDAwMDBd' })
  @MayBeAbsent()
  @IsString()
  cursor?: string;
}
