import { ApiProperty } from '@nestjs/swagger';

/** Latest row of scraped_profile_calls for a profile. */
export class ProfileStatusAnswer {
  @ApiProperty({ type: String, description: 'Handle, normalised', example: 'ada-lovelace' })
  network_username!: string;

  @ApiProperty({ type: String, description: 'Profile username as stored', example: 'ada-lovelace' })
  requestResource!: string;

  @ApiProperty({ type: String, enum: ['SCRAPER_API_PERSON'] })
  requestType!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When the profile was scraped' })
  requestDate!: string;

  @ApiProperty({ type: String, enum: ['SUCCESS', 'FAILED'] })
  requestStatus!: 'SUCCESS' | 'FAILED';

  @ApiProperty({
    type: Object,
    description: 'The webhook body that was stored',
    example: { status: 'SUCCESS', username: 'ada-lovelace' },
  })
  responseData!: unknown;
}
