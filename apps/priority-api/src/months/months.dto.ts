import { ApiProperty } from '@nestjs/swagger';
import {
  profileCallStates,
  type Month,
  type ProfileCallState,
  type ProfileCallStatus,
  type RetryResult,
} from '@tradewind/shared-types';

/** Answer of `GET /months/:month`. */
export class MonthCountsAnswer {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: Object, description: 'Profiles by state', example: { started: 120, refused: 1 } })
  profiles!: Record<string, number>;
}

export class ProfileCallStatusDto implements ProfileCallStatus {
  @ApiProperty({ type: String, example: 'ada-lovelace' })
  network_username!: string;

  @ApiProperty({ type: String, enum: profileCallStates })
  state!: ProfileCallState;

  @ApiProperty({ type: String, nullable: true, description: 'Why it is not started, or counts as lost', example: null })
  reason!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at!: string | null;
}

/** Answer of `POST /months/:month/profiles/lookup`. */
export class ProfileLookupAnswer {
  @ApiProperty({ type: ProfileCallStatusDto, isArray: true })
  profiles!: ProfileCallStatusDto[];
}

/** Answer of `POST /months/:month/profiles/retry`; each profile asked about is counted once. */
export class ProfileRetryAnswer implements RetryResult {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: Month;

  @ApiProperty({ type: String, format: 'uuid', description: 'The same plan again starts nothing more' })
  plan_id!: string;

  @ApiProperty({ type: Boolean, description: 'Whether nothing was started' })
  dry_run!: boolean;

  @ApiProperty({
    type: Number,
    description: 'Started by this plan, since they ended without success, are lost or never arrived here',
    example: 1,
  })
  started!: number;

  @ApiProperty({
    type: Number,
    description: 'Left alone: waiting for a start, started and expected, or being stored',
    example: 2,
  })
  on_their_way!: number;

  @ApiProperty({ type: Number, description: 'Left alone: scraped with success', example: 3 })
  done!: number;

  @ApiProperty({ type: Number, description: 'Not profiles of this month, and not said to be published', example: 0 })
  not_known!: number;
}
