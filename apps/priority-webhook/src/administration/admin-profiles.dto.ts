// What the history of a profile takes and answers.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { IsString, Matches } from 'class-validator';
import type { DeliveryOfProfile } from '../deliveries/deliveries.store.js';

export class DeliveryListQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class ProfilePathDto {
  @ApiProperty({ type: String, example: 'jane-doe', description: 'Handle or address of the profile' })
  @IsString()
  username!: string;
}

export class DeliveryPathDto extends ProfilePathDto {
  @ApiProperty({ type: String, pattern: '^[0-9]{1,18}$', example: '4711' })
  @Matches(/^\d{1,18}$/)
  delivery_id!: string;
}

export class DeliveryDto {
  @ApiProperty({ type: String, example: '4711' }) id!: string;
  @ApiProperty({ type: String, example: '2026-11' }) month!: string;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.123Z' }) received_at!: string;
  @ApiProperty({ type: String, enum: ['SUCCESS', 'FAILED'], example: 'SUCCESS' }) status!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why it failed, or why it is not in both places yet',
  })
  reason!: string | null;

  @ApiProperty({ type: Boolean, example: true, description: 'In the warehouse' }) is_stored!: boolean;
  @ApiProperty({ type: Boolean, example: true, description: 'In the object store' }) is_backed_up!: boolean;
  @ApiProperty({ type: String, example: 'jane-doe.json' }) object_name!: string;
}

export class DeliveryDetailsDto extends DeliveryDto {
  @ApiProperty({
    type: String,
    enum: ['backup', 'inbox'],
    example: 'backup',
    description: 'Where `profile` comes from: the object store, or the inbox while it is not there',
  })
  source!: 'backup' | 'inbox';

  @ApiProperty({ description: 'The JSON that is stored', example: { name: 'Jane Doe' } }) profile!: unknown;
}

export class DeliveryPageDto {
  @ApiProperty({ type: [DeliveryDto], description: 'Latest first' }) deliveries!: DeliveryDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const deliveryDto = (delivery: DeliveryOfProfile): DeliveryDto => ({
  id: delivery.id,
  month: delivery.month,
  received_at: delivery.receivedAt.toISOString(),
  status: delivery.requestStatus,
  reason: delivery.reason,
  is_stored: delivery.isStored,
  is_backed_up: delivery.isBackedUp,
  object_name: delivery.objectName,
});

export const deliveryDetailsDto = (
  delivery: DeliveryOfProfile & Pick<DeliveryDetailsDto, 'source' | 'profile'>,
): DeliveryDetailsDto => ({ ...deliveryDto(delivery), source: delivery.source, profile: delivery.profile });
