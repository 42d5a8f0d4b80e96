import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { withTraceFrom } from '@tradewind/service-kit';
import { BatchTriggerAnswer, PushEnvelopeDto, pushedMessage } from './batches.dto.js';
import { BatchesService } from './batches.service.js';
import { PushGuard } from './push.guard.js';

@ApiTags('batches')
@ApiBearerAuth()
@Controller('batch-trigger')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  /** Answers at `/batch-trigger/` and `/batch-trigger` alike. */
  @Post()
  @HttpCode(200)
  @UseGuards(PushGuard)
  @ApiOperation({ summary: 'Receives a batch from the queue and starts scraping for each profile' })
  @ApiBody({ type: PushEnvelopeDto })
  @ApiOkResponse({ type: BatchTriggerAnswer })
  @ApiServiceUnavailableResponse({ description: 'The provider is down; the queue delivers again' })
  async trigger(@Body() body: unknown): Promise<BatchTriggerAnswer> {
    const message = pushedMessage(body);
    // The coordinator's run and the starts it leads to are one trace.
    return withTraceFrom(message.attributes, () => this.batches.receive(message), 'receive batch');
  }
}
