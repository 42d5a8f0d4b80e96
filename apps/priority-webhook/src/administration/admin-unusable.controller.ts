import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  Administrators,
  Author,
  listPosition,
  pageOf,
  positionAfter,
  toCursor,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppEvents } from '../events.js';
import type { UnusablePayload } from '../unusable/unusable-payload.entity.js';
import { UnusablePayloadsStore } from '../unusable/unusable-payloads.store.js';
import {
  DropDto,
  isFingerprint,
  UnusableDetailsDto,
  unusableDetailsDto,
  unusableDto,
  UnusableDto,
  UnusableListQueryDto,
  UnusablePageDto,
  UnusablePathDto,
} from './admin-unusable.dto.js';

const none = { status: 404, description: 'There is no such webhook' };

/** Webhooks that named no profile, as the command `unusable list`. */
@ApiTags('unusable webhooks')
@ApiBearerAuth()
@Administrators()
@Controller('admin/unusable-webhooks')
export class AdminUnusableController {
  constructor(
    private readonly store: UnusablePayloadsStore,
    private readonly events: AppEvents,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Webhooks that named no profile, latest first' })
  @ApiOkResponse({ type: UnusablePageDto })
  async list(@Query() { with_dropped: withDropped, limit, cursor }: UnusableListQueryDto): Promise<UnusablePageDto> {
    const after = positionAfter(cursor, withDropped, listPosition(isFingerprint));
    const rows = await this.store.list({ after, limit: limit + 1, withDropped });
    const { page, next_cursor } = pageOf(rows, limit, ({ micros, fingerprint }) =>
      toCursor([micros, fingerprint], withDropped),
    );
    return { unusable_webhooks: page.map(unusableDto), next_cursor };
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One of them, with its body' })
  @ApiOkResponse({ type: UnusableDetailsDto })
  @ApiResponse(none)
  async get(@Param() { id }: UnusablePathDto): Promise<UnusableDetailsDto> {
    return unusableDetailsDto(await this.find(id));
  }

  @Post(':id/drop')
  @HttpCode(200)
  @ApiOperation({ summary: 'Put one aside, with the reason; it is shown again when it comes again' })
  @ApiOkResponse({ type: UnusableDto })
  @ApiResponse(none)
  @ApiResponse({ status: 409, description: 'It was dropped before' })
  async drop(
    @Param() { id }: UnusablePathDto,
    @Body() { reason }: DropDto,
    @Author() { by }: ChangeAuthor,
  ): Promise<UnusableDto> {
    await this.find(id);
    if (!(await this.store.drop(id, { reason, by }))) {
      throw new ServiceError({ code: 'request.conflict', status: 409, message: 'It was dropped before' });
    }
    this.events.emit('unusable_dropped', { fingerprint: id, caller: by, detail: reason });
    return unusableDto(await this.find(id));
  }

  private async find(id: string): Promise<UnusablePayload> {
    const found = await this.store.find(id);
    if (found) return found;
    throw new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such webhook' });
  }
}
