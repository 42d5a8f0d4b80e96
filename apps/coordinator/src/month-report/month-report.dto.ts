import { ApiProperty } from '@nestjs/swagger';

export class MissingProfileDto {
  @ApiProperty({ type: String })
  network_username!: string;

  @ApiProperty({ type: String, format: 'uuid' })
  person_id!: string;

  @ApiProperty({ type: String, description: 'Why it is not done' })
  reason!: string;
}

/** Answer of `GET /months/:month/report`; counts are profiles. */
export class MonthReportAnswer {
  @ApiProperty({ type: String, example: '2026-11' })
  month!: string;

  @ApiProperty({ type: Boolean, description: 'Whether every selected profile is stored and backed up' })
  is_complete!: boolean;

  @ApiProperty({ type: Number })
  selected!: number;

  @ApiProperty({ type: Number })
  published!: number;

  @ApiProperty({
    type: Number,
    description: 'Profiles whose start the provider confirmed, by its answer or its webhook',
  })
  started!: number;

  @ApiProperty({ type: Number })
  received!: number;

  @ApiProperty({ type: Number, description: 'Scraped profiles in the warehouse; failures are not counted' })
  stored!: number;

  @ApiProperty({ type: Number, description: 'Scraped profiles in the backup; failures are not counted' })
  backed_up!: number;

  @ApiProperty({ type: Number, description: 'Profiles for which the provider reported a failure and nothing better' })
  failed!: number;

  @ApiProperty({ type: Number, description: 'Profiles that are not both stored and backed up' })
  missing!: number;

  @ApiProperty({
    type: MissingProfileDto,
    isArray: true,
    description: 'The first of them, as many as `names` asks for',
  })
  missing_profiles!: MissingProfileDto[];
}
