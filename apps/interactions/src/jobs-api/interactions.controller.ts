import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  assertActsFor,
  Caller,
  callerId,
  CompanyCallers,
  companyScopeOf,
  type CallerIdentity,
} from '@tradewind/service-kit';
import { AbortsService } from './aborts.service.js';
import { AbortAnswerDto, InteractionDto, InteractionPageDto, TriggerAnswerDto } from './interaction-answers.dto.js';
import { AbortRequestDto, ListQueryDto, TriggerRequestDto } from './interactions.dto.js';
import { InteractionsService } from './interactions.service.js';
import { JobItemPageDto, JobItemsQueryDto } from './job-items.dto.js';
import { JobItemsService } from './job-items.service.js';
import { assertTriggersAs } from './trigger-user.js';
import { TriggersService } from './triggers.service.js';

@ApiTags('interactions')
@ApiBearerAuth()
@ApiResponse({ status: 400, description: 'Broken rules, each with the path of its field' })
@ApiResponse({ status: 401, description: 'No valid credential' })
@ApiResponse({
  status: 403,
  description: 'The role of the user does not allow this, or the company is not that of the caller',
})
@Controller('scraper/network')
@CompanyCallers()
export class InteractionsController {
  constructor(
    private readonly triggers: TriggersService,
    private readonly aborts: AbortsService,
    private readonly interactions: InteractionsService,
    private readonly items: JobItemsService,
  ) {}

  @Post('interactions')
  @HttpCode(200)
  @ApiOperation({ summary: 'Start one scraping run per target' })
  @ApiOkResponse({ type: TriggerAnswerDto })
  async trigger(@Body() request: TriggerRequestDto, @Caller() caller: CallerIdentity): Promise<TriggerAnswerDto> {
    assertActsFor(caller, request.user_company_id);
    assertTriggersAs(caller, request.trigger_user_id);
    return this.triggers.trigger(request, callerId(caller));
  }

  @Post('abort-run')
  @HttpCode(200)
  @ApiOperation({ summary: 'Abort the active run of each target' })
  @ApiOkResponse({ type: AbortAnswerDto })
  async abort(@Body() request: AbortRequestDto, @Caller() caller: CallerIdentity): Promise<AbortAnswerDto> {
    assertActsFor(caller, request.user_company_id);
    return this.aborts.abort(request, callerId(caller));
  }

  @Get('interactions')
  @ApiOperation({ summary: 'List jobs, newest first; of its own company alone for a caller that is bound to one' })
  @ApiOkResponse({ type: InteractionPageDto })
  async list(@Query() query: ListQueryDto, @Caller() caller: CallerIdentity): Promise<InteractionPageDto> {
    return this.interactions.list(query, companyScopeOf(caller));
  }

  @Get('interactions/:run_id')
  @ApiParam({ name: 'run_id', example: 'HG7ML7M8z78YcAPEB' })
  @ApiOperation({ summary: 'One job, by run id or job id' })
  @ApiOkResponse({ type: InteractionDto })
  @ApiResponse({ status: 404, description: 'No job has this run, or none of the company of the caller' })
  async get(@Param('run_id') runId: string, @Caller() caller: CallerIdentity): Promise<InteractionDto> {
    return this.interactions.get(runId, companyScopeOf(caller));
  }

  @Get('interactions/:run_id/items')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'run_id', example: 'HG7ML7M8z78YcAPEB' })
  @ApiOperation({ summary: 'What a job has stored: its posts, comments or reactions' })
  @ApiOkResponse({ type: JobItemPageDto })
  @ApiResponse({ status: 404, description: 'No job has this run, or none of the company of the caller' })
  async listItems(
    @Param('run_id') runId: string,
    @Query() query: JobItemsQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<JobItemPageDto> {
    return this.items.list(runId, companyScopeOf(caller), query);
  }
}
