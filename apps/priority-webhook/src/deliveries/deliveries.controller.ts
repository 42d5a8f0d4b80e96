import { Body, Controller, Headers, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ProfileWebhookAnswer, ProfileWebhookDto } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { WebhookSecretGuard } from './webhook-secret.guard.js';

@ApiTags('webhook')
@Controller('webhook')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Post('network')
  @HttpCode(200)
  @UseGuards(WebhookSecretGuard)
  @ApiSecurity('webhook-secret')
  @ApiOperation({ summary: 'Receives a scraped profile from the provider' })
  @ApiBody({ type: ProfileWebhookDto })
  @ApiOkResponse({ type: ProfileWebhookAnswer })
  async receive(
    @Body() body: unknown,
    @Headers('x-correlation-id') correlationId: string | undefined,
  ): Promise<ProfileWebhookAnswer> {
    const { isStored, isBackedUp } = await this.deliveries.receive(body, { correlationId });
    return { status: 'success', saved_to_warehouse: isStored, backed_up_to_storage: isBackedUp };
  }
}
