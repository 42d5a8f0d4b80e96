import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { assertMaySpend, Caller, callerId, Callers, type CallerIdentity } from '@tradewind/service-kit';
import { ProfileCallLookup, ProfileRetry } from '@tradewind/shared-types';
import { ProfileStarter } from '../profile-calls/profile-starter.js';
import { MonthCountsAnswer, ProfileLookupAnswer, ProfileRetryAnswer } from './months.dto.js';
import { MonthsService } from './months.service.js';

/** For the month report of the coordinator, and for operators. */
@ApiTags('months')
@ApiBearerAuth()
@Callers()
@Controller('months')
export class MonthsController {
  constructor(
    private readonly months: MonthsService,
    private readonly starter: ProfileStarter,
  ) {}

  @Get(':month')
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({ summary: 'Counts the profiles of a month by state' })
  @ApiOkResponse({ type: MonthCountsAnswer })
  async count(@Param('month') month: string): Promise<MonthCountsAnswer> {
    return { month, profiles: await this.months.count(month) };
  }

  @Post(':month/profiles/lookup')
  @HttpCode(200)
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({ summary: 'Shows the state of up to 1000 profiles in a month; unknown profiles are left out' })
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
        forced_run_id: {
          type: 'string',
          format: 'uuid',
          description: 'The forced run whose starts are asked for; the latest start of each profile unless given',
        },
      },
    },
  })
  @ApiOkResponse({ type: ProfileLookupAnswer })
  async lookup(@Param('month') month: string, @Body() body: ProfileCallLookup): Promise<ProfileLookupAnswer> {
    return { profiles: await this.months.lookup(month, body) };
  }

  @Post(':month/profiles/retry')
  @HttpCode(200)
  @ApiParam({ name: 'month', example: '2026-11' })
  @ApiOperation({
    summary:
      'Starts profiles again that ended without success or are overdue; those on their way and done are left alone',
    description:
      'Every start is paid for, so a profile that waits, is being started or is expected is never started again, and the ' +
      'same plan_id starts nothing more.',
  })
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
            properties: {
              network_username: { type: 'string', example: 'ada-lovelace' },
              person_id: { type: 'string', format: 'uuid' },
            },
          },
        },
        plan_id: { type: 'string', format: 'uuid', description: 'Names the retry; made up unless given' },
        dry_run: { type: 'boolean', default: false, description: 'Only reports what would be started' },
        published: {
          type: 'boolean',
          default: false,
          description:
            'The caller has published them: those that never arrived here are started for the first time. ' +
            'Needs the role ADMIN or a service token',
        },
        forced_run_id: {
          type: 'string',
          format: 'uuid',
          description: 'The forced run that wants them; the latest start of each profile unless given',
        },
      },
    },
  })
  @ApiOkResponse({ type: ProfileRetryAnswer })
  async retry(
    @Param('month') month: string,
    @Body() body: ProfileRetry,
    @Caller() caller: CallerIdentity,
  ): Promise<ProfileRetryAnswer> {
    if (body.published) assertMaySpend(caller, 'published starts profiles for the first time');
    const result = await this.months.retry(month, body, callerId(caller));
    this.starter.wake();
    return result;
  }
}
