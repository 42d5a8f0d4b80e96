import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Callers } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { MonthReportAnswer } from './month-report.dto.js';
import { MonthReportService, type MissingProfile, type MonthCounts } from './month-report.service.js';

/** Names in one answer; the command lists all. */
const namesDefault = 1_000;
const namesMax = 10_000;

@ApiTags('months')
@ApiBearerAuth()
@Callers()
@Controller('months')
export class MonthReportController {
  constructor(private readonly reports: MonthReportService) {}

  @Get(':month/report')
  @ApiOperation({ summary: 'Tells what of a month is done, and names what is not' })
  @ApiOkResponse({ type: MonthReportAnswer })
  async report(@Param('month') month: string, @Query('names') names?: string): Promise<MonthReportAnswer> {
    const namesLimit = names === undefined ? namesDefault : Number(names);
    if (!Number.isInteger(namesLimit) || namesLimit < 0 || namesLimit > namesMax) {
      throw new ServiceError({
        code: 'request.invalid',
        status: 400,
        message: [`names must be an integer from 0 to ${namesMax}`],
      });
    }
    let counts: MonthCounts | undefined;
    const profiles: MissingProfile[] = [];
    for await (const page of this.reports.report(month)) {
      counts = page.counts;
      profiles.push(...page.missing.slice(0, Math.max(0, namesLimit - profiles.length)));
    }
    // The report has at least one page.
    return { month, is_complete: counts!.missing === 0, ...counts!, missing_profiles: profiles };
  }

  @Post(':month/retry-missing')
  @HttpCode(200)
  @ApiOperation({ summary: 'Starts the missing profiles of a month again; those on their way are left alone' })
  async retryMissing(@Param('month') month: string): Promise<{ month: string; profiles_retried: number }> {
    return { month, profiles_retried: await this.reports.retryMissing(month) };
  }
}
