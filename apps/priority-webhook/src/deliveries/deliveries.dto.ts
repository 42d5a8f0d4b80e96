import { ApiProperty } from '@nestjs/swagger';
import type { ProfileDeliveryStatus } from '@tradewind/shared-types';

/** Documentation only: profile-payload.ts reads the provider's body and accepts unknown fields. */
export class ScrapedProfileDto {
  @ApiProperty({ type: String, required: false, example: 'Jane Doe' })
  name?: string;

  @ApiProperty({ type: String, required: false, example: 'Head of Data at Example Corp' })
  headline?: string;

  @ApiProperty({ type: String, required: false, example: 'Berlin, Germany' })
  location?: string;
}

export class ScrapedProfileDataDto {
  @ApiProperty({ type: ScrapedProfileDto, description: 'What was scraped; further fields are kept as they come' })
  profile!: ScrapedProfileDto;
}

export class ProfileWebhookDto {
  @ApiProperty({ type: String, description: 'Address of the profile', example: 'https://www.linkedin.com/in/jane-doe' })
  url!: string;

  @ApiProperty({ type: ScrapedProfileDataDto, description: 'Without a profile, or with an error, it is a failure' })
  data!: ScrapedProfileDataDto;
}

/** Answer of `POST /webhook/network`: what was done when it was sent. */
export class ProfileWebhookAnswer {
  @ApiProperty({ type: String, enum: ['success'] })
  status!: 'success';

  @ApiProperty({ type: Boolean, description: 'Whether the row is in the warehouse already' })
  saved_to_warehouse!: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the backup object exists already' })
  backed_up_to_storage!: boolean;
}

export class ProfileDeliveryStatusDto implements ProfileDeliveryStatus {
  @ApiProperty({ type: String, example: 'ada-lovelace' })
  network_username!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  received_at!: string;

  @ApiProperty({ type: String, enum: ['SUCCESS', 'FAILED'] })
  request_status!: 'SUCCESS' | 'FAILED';

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why there is no profile, or why it cannot be stored',
    example: null,
  })
  reason!: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether the row is in the warehouse' })
  stored!: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the backup object exists' })
  backed_up!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Header `x-correlation-id` of the delivery',
    example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11',
  })
  correlation_id!: string | null;
}

/** Answer of `POST /months/:month/profiles/lookup`. */
export class DeliveryLookupAnswer {
  @ApiProperty({ type: ProfileDeliveryStatusDto, isArray: true })
  profiles!: ProfileDeliveryStatusDto[];
}
