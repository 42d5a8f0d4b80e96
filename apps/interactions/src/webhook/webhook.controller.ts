import { Body, Controller, Headers, HttpCode, Post, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiResponse,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import { correlationHeader, parseCorrelationId } from './completion-webhook.js';
import { InboxService } from './inbox.service.js';
import { WebhookSecretGuard } from './webhook-secret.guard.js';

class WebhookAnswer {
  @ApiProperty({ type: String, enum: ['accepted'] })
  status!: 'accepted';
}

const webhookExample = {
  eventType: 'ACTOR.RUN.SUCCEEDED',
  eventData: { actorRunId: 'HG7ML7M8z78YcAPEB' },
  resource: { id: 'HG7ML7M8z78YcAPEB', status: 'SUCCEEDED' },
};

@ApiTags('webhook')
@Controller('scraper/network/webhook')
@UseGuards(WebhookSecretGuard)
export class WebhookController {
  constructor(private readonly inbox: InboxService) {}

  /** The body is whatever the provider sends; `Record` keeps the validation of our own requests away from it. */
  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Completion webhook of the scraping provider',
    description: 'Stored durably before the answer; a repeat is answered 200 and changes nothing.',
  })
  @ApiSecurity('webhook-secret')
  @ApiHeader({
    name: correlationHeader,
    required: false,
    description: 'Our job id',
    example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11',
  })
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: webhookExample } })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiResponse({ status: 401, description: 'Wrong or missing secret' })
  @ApiResponse({ status: 404, description: 'No job of ours has this run' })
  async receive(
    @Body() body: Record<string, unknown>,
    @Headers(correlationHeader) correlationId?: string,
  ): Promise<WebhookAnswer> {
    await this.inbox.receive(body, parseCorrelationId(correlationId));
    return { status: 'accepted' };
  }
}
