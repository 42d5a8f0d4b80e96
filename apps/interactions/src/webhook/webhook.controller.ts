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
import { ServiceError } from '@tradewind/shared-types';
import { correlationHeader, parseCompletionWebhook, parseCorrelationId } from './completion-webhook.js';
import { InboxService } from './inbox.service.js';
import { WebhookSecretGuard } from './webhook-secret.guard.js';

class WebhookAnswer {
  @ApiProperty({ type: String, enum: ['accepted'] })
  status!: 'accepted';
}

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
  @ApiHeader({ name: correlationHeader, required: false, description: 'Our job id' })
  @ApiBody({ schema: { type: 'object', additionalProperties: true } })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiResponse({ status: 401, description: 'Wrong or missing secret' })
  @ApiResponse({ status: 404, description: 'No job of ours has this run' })
  async receive(
    @Body() body: Record<string, unknown>,
    @Headers(correlationHeader) correlationId?: string,
  ): Promise<WebhookAnswer> {
    const { runId, eventType } = parseCompletionWebhook(body);
    const acceptance = await this.inbox.accept({
      runId,
      eventType,
      jobId: parseCorrelationId(correlationId),
      payload: body,
    });
    if (acceptance === 'unknown_run') {
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'No job has this run' });
    }
    return { status: 'accepted' };
  }
}
