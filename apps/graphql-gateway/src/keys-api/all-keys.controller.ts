import { Controller, Get, Header, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import {
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogStore } from '../api-keys/audit-log.store.js';
import { Clock } from '../clock.js';
import { eventPage, keyPage } from './key-pages.js';
import { AllKeysQueryDto, KeyEventsDto, OwnedKeyDto, OwnedKeysDto, PageQueryDto, toOwnedKeyDto } from './keys.dto.js';
import { RequestUnits } from './request-units.js';

const noSuchKey = { description: 'There is no such key, or none of the company of the caller' };

/** Keys of all users, as the commands `key list`, `show`, `revoke` and `audit`; for a bound caller of its company. */
@ApiTags('administration')
@ApiBearerAuth()
@ApiTooManyRequestsResponse({ description: 'Too many requests in 60 seconds; Retry-After says when to ask again' })
@CompanyAdministrators()
@UseInterceptors(RequestUnits)
@Controller('admin/keys')
export class AllKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly audit: AuditLogStore,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Keys of all users, newest first' })
  @ApiOkResponse({ type: OwnedKeysDto })
  async list(@Query() query: AllKeysQueryDto, @Caller() caller: CallerIdentity): Promise<OwnedKeysDto> {
    const filter = {
      user: query.user,
      idOrPrefix: query.key,
      companyId: companyScopeOf(caller),
      expiresBefore: query.expires_before === undefined ? undefined : new Date(query.expires_before),
    };
    const { page, next_cursor } = await keyPage(this.keys, filter, query);
    const now = this.clock.now();
    return { keys: page.map((key) => toOwnedKeyDto(key, now)), next_cursor };
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({ summary: 'One key' })
  @ApiOkResponse({ type: OwnedKeyDto })
  @ApiNotFoundResponse(noSuchKey)
  async get(@Param('id') id: string, @Caller() caller: CallerIdentity): Promise<OwnedKeyDto> {
    return toOwnedKeyDto(await this.find(id, caller), this.clock.now());
  }

  @Get(':id/audit')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({ summary: 'What happened to a key, newest first' })
  @ApiOkResponse({ type: KeyEventsDto })
  @ApiNotFoundResponse(noSuchKey)
  async events(
    @Param('id') id: string,
    @Query() query: PageQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<KeyEventsDto> {
    return eventPage(this.audit, await this.find(id, caller), query);
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({
    summary: 'Revoke a key for good; it stops working within 5 seconds',
    description: 'A second request changes nothing and has the same answer.',
  })
  @ApiOkResponse({ type: OwnedKeyDto })
  @ApiNotFoundResponse(noSuchKey)
  async revoke(
    @Param('id') id: string,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<OwnedKeyDto> {
    await this.keys.revoke(await this.find(id, caller), author);
    return toOwnedKeyDto(await this.find(id, caller), this.clock.now());
  }

  private async find(id: string, caller: CallerIdentity) {
    return this.keys.get(id, { companyId: companyScopeOf(caller) });
  }
}
