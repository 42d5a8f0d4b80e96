// What the totals of jobs by day take and answer.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { daysDefault, daysProperty, IsDays } from '@tradewind/service-kit';
import { toUsd } from '../micro-usd.js';
import type { ActiveTotals, DayTotals } from '../tracker/day-totals.store.js';

export class JobDaysQueryDto {
  @ApiPropertyOptional(daysProperty)
  @IsDays()
  days: number = daysDefault;
}

const whole = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

export class JobDayDto {
  @ApiProperty({ type: String, format: 'date', example: '2026-11-24' }) day!: string;
  @ApiProperty(whole('Jobs accepted on this day that have completed', 120)) completed!: number;
  @ApiProperty(whole('That have failed', 2)) failed!: number;
  @ApiProperty(whole('That were aborted', 1)) aborted!: number;
  @ApiProperty(whole('Posts that they have stored', 1200)) posts!: number;
  @ApiProperty(whole('Comments', 4100)) comments!: number;
  @ApiProperty(whole('Reactions', 5600)) reactions!: number;
  @ApiProperty({ type: Number, description: 'What their runs have cost', example: 12.25 }) cost_usd!: number;
}

export class JobDaysDto {
  @ApiProperty({ type: [JobDayDto], description: 'Each day, also those without a job; the last one is today' })
  days!: JobDayDto[];

  @ApiProperty(whole('Jobs that wait for their start now', 3)) pending!: number;
  @ApiProperty(whole('Jobs that run now', 8)) running!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the oldest of these was accepted',
    example: '2026-11-24T10:00:00.123Z',
  })
  oldest_active_at!: string | null;
}

export const jobDaysDto = (days: DayTotals[], active: ActiveTotals): JobDaysDto => ({
  days: days.map(({ spentMicroUsd, ...day }) => ({ ...day, cost_usd: toUsd(spentMicroUsd) })),
  pending: active.pending,
  running: active.running,
  oldest_active_at: active.oldestAt?.toISOString() ?? null,
});
