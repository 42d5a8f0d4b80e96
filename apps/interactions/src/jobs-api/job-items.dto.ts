// What the list of a job's items takes and answers: posts, comments and reactions in one shape.
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
import { IsIn } from 'class-validator';
import { tableOfKind, type ItemKind } from '../items/item-rows.js';

const itemKinds = Object.keys(tableOfKind) as ItemKind[];

export class JobItemsQueryDto {
  @ApiPropertyOptional({ type: String, enum: itemKinds, default: 'post' })
  @MayBeAbsent()
  @IsIn(itemKinds)
  kind: ItemKind = 'post';

  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

const text = (description: string, example: string | null) =>
  ({ type: String, nullable: true, description, example }) as const;
const count = (description: string, example: number | null) =>
  ({ type: 'integer', nullable: true, description, example }) as const;

export class JobItemDto {
  @ApiProperty({ type: String, description: 'In the network', example: '7100000000000000001' }) id!: string;
  @ApiProperty(text('The post it is, or belongs to', '7100000000000000001')) post_id!: string | null;
  @ApiProperty(text('Null for reactions', 'https://network.example/posts/1')) url!: string | null;
  @ApiProperty(text('Null for reactions', 'Notes on the analytical engine')) text!: string | null;
  @ApiProperty(text('Who wrote it or reacted', 'Ada Lovelace')) author_name!: string | null;
  @ApiProperty(text('Their profile', 'https://network.example/in/ada')) author_url!: string | null;
  @ApiProperty(text('Their headline; null for posts', null)) author_position!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was posted or written; null for reactions',
    example: '2026-10-01T08:30:00.123Z',
  })
  at!: string | null;

  @ApiProperty(text('Such as LIKE; null for posts and comments', null)) reaction_type!: string | null;
  @ApiProperty(count('Of a post, at the time of the run', 12)) likes!: number | null;
  @ApiProperty(count('Comments of a post, replies to a comment', 3)) comments!: number | null;
  @ApiProperty(count('Of a post', 1)) shares!: number | null;
  @ApiProperty({ type: Boolean, description: 'Whether a post repeats another', example: false }) is_repost!: boolean;
}

export class JobItemPageDto {
  @ApiProperty({ type: [JobItemDto], description: 'Latest in the network first; reactions in no order of time' })
  items!: JobItemDto[];

  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}
