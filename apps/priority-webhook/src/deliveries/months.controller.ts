import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Callers } from '@tradewind/service-kit';
import { ProfileLookup } from '@tradewind/shared-types';
import { DeliveryLookupAnswer } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';

/** For the month report of the coordinator and the delivery watch of priority-api. */
@ApiTags('months')
@ApiBearerAuth()
@Callers()
@Controller('months')
export class MonthsController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Post(':month/profiles/lookup')
  @HttpCode(200)
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({
    summary: 'Shows the state of up to 1000 profiles in a month; profiles without a delivery are left out',
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['network_usernames'],
      properties: {
        network_usernames: {
          type: 'array',
          maxItems: 1000,
          items: { type: 'string', example: 'ada-lovelace' },
          description: 'Handles, normalised',
        },
        since: { type: 'string', format: 'date-time', description: 'Deliveries before this instant do not count' },
      },
    },
  })
  @ApiOkResponse({ type: DeliveryLookupAnswer })
  async lookup(@Param('month') month: string, @Body() body: ProfileLookup): Promise<DeliveryLookupAnswer> {
    return { profiles: await this.deliveries.lookup(month, body) };
  }
}
