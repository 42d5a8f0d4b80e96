// What the endpoints of use by day and by user take and answer. Units of today's limits are in keys.dto.ts.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { daysDefault, daysProperty, IsDays, nextCursorProperty } from '@tradewind/service-kit';
import type { DayUse } from '../rate-limit/limits.store.js';
import { PageQueryDto } from './keys.dto.js';

const dayProperty = { type: String, format: 'date', example: '2026-11-24' } as const;

export class DaysQueryDto {
  @ApiPropertyOptional(daysProperty)
  @IsDays()
  days: number = daysDefault;
}

export class UsersByUseQueryDto extends PageQueryDto {
  @ApiPropertyOptional(daysProperty)
  @IsDays()
  days: number = daysDefault;
}

export class DayOfUseDto {
  @ApiProperty(dayProperty)
  day!: string;

  @ApiProperty({ type: 'integer', example: 7 })
  data_calls!: number;
}

export class DaysOfUseDto {
  @ApiProperty({ type: [DayOfUseDto], description: 'Each day, also those without a call; the last one is today' })
  days!: DayOfUseDto[];
}

export const toDaysOfUseDto = (uses: readonly DayUse[]): DaysOfUseDto => ({
  days: uses.map(({ day, used }) => ({ day, data_calls: used })),
});

export class UserOfUseDto {
  @ApiProperty({ type: String, format: 'uuid', example: '0b8f6a1c-6f3d-4b6e-9d53-0f1c2a7e4d21' })
  user_id!: string;

  @ApiProperty({ type: String, description: 'Address when the newest key was made', example: 'ada@example.com' })
  user_email!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Company of the newest key', example: 'acme' })
  user_company_id!: string | null;

  @ApiProperty({ type: 'integer', example: 42 })
  data_calls!: number;

  @ApiProperty({ ...dayProperty, description: 'The last day with a data call' })
  last_day!: string;
}

export class UsersByUseDto {
  @ApiProperty({ type: [UserOfUseDto], description: 'Those with most data calls first' })
  users!: UserOfUseDto[];

  @ApiProperty(nextCursorProperty)
  next_cursor!: string | null;
}
