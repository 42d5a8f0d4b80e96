import { Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  pageOf,
  positionAfter,
  toCursor,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { InboxService } from '../webhook/inbox.service.js';
import {
  webhookDto,
  WebhookDto,
  WebhookListQueryDto,
  WebhookPageDto,
  WebhookPathDto,
  WebhookWithPayloadDto,
} from './admin-webhooks.dto.js';

const noWebhook = {
  status: 404,
  description: 'There is no such webhook, or none of a job of the company of the caller',
};

/** The webhooks of the provider, which are kept for WEBHOOK_KEEP_DAYS. */
@ApiTags('administration of webhooks')
@ApiBearerAuth()
@CompanyAdministrators()
@Controller('admin/webhooks')
export class AdminWebhooksController {
  constructor(private readonly inbox: InboxService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Webhooks, newest first' })
  @ApiOkResponse({ type: WebhookPageDto })
  async list(@Query() query: WebhookListQueryDto, @Caller() caller: CallerIdentity): Promise<WebhookPageDto> {
    const { run_id: runId, job_id: jobId, limit, cursor } = query;
    const filter = { runId, jobId, userCompanyId: companyScopeOf(caller) };
    // No index has the webhooks of a company in order.
    if (filter.userCompanyId !== undefined && runId === undefined && jobId === undefined) {
      throw new ServiceError({
        code: 'request.invalid',
        status: 400,
        message: ['job_id or run_id is required for a caller who belongs to a company'],
      });
    }
    const after = positionAfter(cursor, filter, ([id, ...rest]) =>
      typeof id === 'string' && /^\d{1,18}$/.test(id) && rest.length === 0 ? id : undefined,
    );
    const rows = await this.inbox.list(filter, { after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(rows, limit, ({ id }) => toCursor([id], filter));
    return { webhooks: page.map(webhookDto), next_cursor };
  }

  @Get(':webhook_id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One webhook with what the provider sent' })
  @ApiOkResponse({ type: WebhookWithPayloadDto })
  @ApiResponse(noWebhook)
  async get(
    @Param() { webhook_id: id }: WebhookPathDto,
    @Caller() caller: CallerIdentity,
  ): Promise<WebhookWithPayloadDto> {
    const found = await this.inbox.get(id, companyScopeOf(caller));
    return { ...webhookDto(found), payload: found.payload };
  }

  @Post(':webhook_id/replay')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Process a webhook once more',
    description: 'The provider is asked for the status of the run again. Of a job that has ended nothing changes.',
  })
  @ApiOkResponse({ type: WebhookDto })
  @ApiResponse(noWebhook)
  async replay(
    @Param() { webhook_id: id }: WebhookPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<WebhookDto> {
    const scope = companyScopeOf(caller);
    await this.inbox.replay(id, scope, author);
    return webhookDto(await this.inbox.get(id, scope));
  }
}
