import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Callers } from '@tradewind/service-kit';
import { AbortsService } from './aborts.service.js';
import { AbortAnswerDto, InteractionDto, InteractionPageDto, TriggerAnswerDto } from './interaction-answers.dto.js';
import { AbortRequestDto, ListQueryDto, TriggerRequestDto } from './interactions.dto.js';
import { InteractionsService } from './interactions.service.js';
import { TriggersService } from './triggers.service.js';

@ApiTags('interactions')
@ApiBearerAuth()
@ApiResponse({ status: 400, description: 'Broken rules, each with the path of its field' })
@ApiResponse({ status: 401, description: 'No valid credential' })
@ApiResponse({ status: 403, description: 'The role of the user does not allow this' })
@Controller('scraper/network')
@Callers()
export class InteractionsController {
  constructor(
    private readonly triggers: TriggersService,
    private readonly aborts: AbortsService,
    private readonly interactions: InteractionsService,
  ) {}

  @Post('interactions')
  @HttpCode(200)
  @ApiOperation({ summary: 'Start one scraping run per target' })
  @ApiOkResponse({ type: TriggerAnswerDto })
  async trigger(@Body() request: TriggerRequestDto): Promise<TriggerAnswerDto> {
    return this.triggers.trigger(request);
  }

  @Post('abort-run')
  @HttpCode(200)
  @ApiOperation({ summary: 'Abort the active run of each target' })
  @ApiOkResponse({ type: AbortAnswerDto })
  async abort(@Body() request: AbortRequestDto): Promise<AbortAnswerDto> {
    return this.aborts.abort(request);
  }

  @Get('interactions')
  @ApiOperation({ summary: 'List jobs, newest first' })
  @ApiOkResponse({ type: InteractionPageDto })
  async list(@Query() query: ListQueryDto): Promise<InteractionPageDto> {
    return this.interactions.list(query);
  }

  @Get('interactions/:run_id')
  @ApiOperation({ summary: 'One job, by run id or job id' })
  @ApiOkResponse({ type: InteractionDto })
  @ApiResponse({ status: 404, description: 'No job has this run' })
  async get(@Param('run_id') runId: string): Promise<InteractionDto> {
    return this.interactions.get(runId);
  }
}
