import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Callers } from '@tradewind/service-kit';
import { ProfileLookup, ProfileRetry, type ProfileCallStatus } from '@tradewind/shared-types';
import { StartLoops } from '../profile-calls/start.loops.js';
import { MonthsService } from './months.service.js';

/** For the month report of the coordinator, and for operators. */
@ApiTags('months')
@ApiBearerAuth()
@Callers()
@Controller('months')
export class MonthsController {
  constructor(
    private readonly months: MonthsService,
    private readonly loops: StartLoops,
  ) {}

  @Get(':month')
  @ApiOperation({ summary: 'Counts the profiles of a month by state' })
  async count(@Param('month') month: string): Promise<{ month: string; profiles: Record<string, number> }> {
    return { month, profiles: await this.months.count(month) };
  }

  @Post(':month/profiles/lookup')
  @HttpCode(200)
  @ApiOperation({ summary: 'Tells how up to 1000 profiles stand in a month; unknown profiles are left out' })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['network_usernames'],
      properties: {
        network_usernames: {
          type: 'array',
          maxItems: 1000,
          items: { type: 'string' },
          description: 'Handles, normalised',
        },
        since: { type: 'string', format: 'date-time', description: 'Deliveries before this instant do not count' },
      },
    },
  })
  async lookup(@Param('month') month: string, @Body() body: ProfileLookup): Promise<{ profiles: ProfileCallStatus[] }> {
    return { profiles: await this.months.lookup(month, body.network_usernames) };
  }

  @Post(':month/profiles/retry')
  @HttpCode(200)
  @ApiOperation({ summary: 'Starts up to 1000 missing profiles again; those on their way are left alone' })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['profiles'],
      properties: {
        profiles: {
          type: 'array',
          maxItems: 1000,
          items: {
            type: 'object',
            required: ['network_username', 'person_id'],
            properties: { network_username: { type: 'string' }, person_id: { type: 'string', format: 'uuid' } },
          },
        },
      },
    },
  })
  async retry(@Param('month') month: string, @Body() body: ProfileRetry): Promise<{ profiles_retried: number }> {
    const retried = await this.months.retry(month, body);
    this.loops.wake();
    return { profiles_retried: retried };
  }
}
