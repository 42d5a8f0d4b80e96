import {
  Body,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBadGatewayResponse,
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiHeader,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import {
  Author,
  Caller,
  presentedToken,
  userOf,
  Users,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import type { FastifyRequest } from 'fastify';
import { ApiKeysService, type KeyOwner } from '../api-keys/api-keys.service.js';
import { keyLifeDaysMax } from '../api-keys/create-api-key.dto.js';
import { AuditLogStore } from '../api-keys/audit-log.store.js';
import { Clock } from '../clock.js';
import { IdentityClient } from '../login/identity-client.js';
import { keptMinutes } from '../api-keys/key-requests.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { eventPage, keyPage } from './key-pages.js';
import {
  KeyDto,
  KeyEventsDto,
  KeysDto,
  MadeKeyDto,
  MakeKeyDto,
  PageQueryDto,
  RotateKeyDto,
  toKeyDto,
  toMadeKeyDto,
} from './keys.dto.js';
import { RequestUnits } from './request-units.js';

const noSuchKey = { description: 'You have no such key' };
const idempotencyKeyHeader = {
  name: 'Idempotency-Key',
  required: false,
  description: 'A text of 16 to 200 visible characters that you make up for this one request, such as a random UUID',
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};
const otherRequest = { description: 'The Idempotency-Key came with another request before' };

/** What users do with their own keys. A key lives longer than the token, so identity is asked before one is made. */
@ApiTags('keys')
@ApiBearerAuth()
@ApiTooManyRequestsResponse({ description: 'Too many requests in 60 seconds; Retry-After says when to ask again' })
@Users()
@UseInterceptors(RequestUnits)
@Controller('keys')
export class OwnKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly audit: AuditLogStore,
    private readonly identity: IdentityClient,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Your keys, newest first' })
  @ApiOkResponse({ type: KeysDto })
  async list(@Query() query: PageQueryDto, @Caller() caller: CallerIdentity): Promise<KeysDto> {
    const { page, next_cursor } = await keyPage(this.keys, { userId: userOf(caller).userId }, query);
    const now = this.clock.now();
    return { keys: page.map((key) => toKeyDto(key, now)), next_cursor };
  }

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: `Make a key; it expires after ${keyLifeDaysMax} days unless you say less`,
    description:
      'With an Idempotency-Key the same request again, also at the same time, makes no second key. ' +
      `For ${keptMinutes} minutes it is answered with the same key, in its present state.`,
  })
  @ApiHeader(idempotencyKeyHeader)
  @ApiOkResponse({ type: MadeKeyDto })
  @ApiBadGatewayResponse({ description: 'Identity, which is asked before a key is made, does not answer' })
  @ApiUnprocessableEntityResponse(otherRequest)
  async make(
    @Body() { name, expires_in_days: expiresInDays = keyLifeDaysMax }: MakeKeyDto,
    @Headers('idempotency-key') header: unknown,
    @Req() request: FastifyRequest,
    @Author() author: ChangeAuthor,
  ): Promise<MadeKeyDto> {
    const idempotencyKey = idempotencyKeyOf(header);
    const owner = await this.owner(request);
    const made = await this.keys.create(owner, { name, expiresInDays, idempotencyKey }, author, null);
    return toMadeKeyDto(made, this.clock.now());
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({ summary: 'One of your keys' })
  @ApiOkResponse({ type: KeyDto })
  @ApiNotFoundResponse(noSuchKey)
  async get(@Param('id') id: string, @Caller() caller: CallerIdentity): Promise<KeyDto> {
    return toKeyDto(await this.own(id, caller), this.clock.now());
  }

  @Get(':id/audit')
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({ summary: 'What happened to one of your keys, newest first' })
  @ApiOkResponse({ type: KeyEventsDto })
  @ApiNotFoundResponse(noSuchKey)
  async events(
    @Param('id') id: string,
    @Query() query: PageQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<KeyEventsDto> {
    return eventPage(this.audit, await this.own(id, caller), query);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({
    summary: 'Revoke a key and make another of the same name in its place',
    description:
      'The new key lives as long as the old one did from its beginning, unless you say otherwise. The old one stops ' +
      'working within 5 seconds. To use both for a while, make a second key and revoke the first one later. ' +
      'A key is rotated once: the second of two requests is answered 409 and makes no key. With an Idempotency-Key ' +
      `the same request again is answered with the same new key for ${keptMinutes} minutes, in its present state.`,
  })
  @ApiHeader(idempotencyKeyHeader)
  @ApiBody({ type: RotateKeyDto, required: false })
  @ApiOkResponse({ type: MadeKeyDto })
  @ApiBadGatewayResponse({ description: 'Identity, which is asked before a key is made, does not answer' })
  @ApiNotFoundResponse(noSuchKey)
  @ApiConflictResponse({ description: 'The key has been revoked, rotated or has expired' })
  @ApiUnprocessableEntityResponse(otherRequest)
  async rotate(
    @Param('id') id: string,
    @Body() { expires_in_days: expiresInDays }: RotateKeyDto,
    @Headers('idempotency-key') header: unknown,
    @Req() request: FastifyRequest,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<MadeKeyDto> {
    const idempotencyKey = idempotencyKeyOf(header);
    // First, so that a token which is no longer valid does not find out which keys there are.
    const owner = await this.owner(request);
    const made = await this.keys.rotate(await this.own(id, caller), owner, { expiresInDays, idempotencyKey }, author);
    return toMadeKeyDto(made, this.clock.now());
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiParam({ name: 'id', example: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' })
  @ApiOperation({
    summary: 'Revoke a key for good; it stops working within 5 seconds',
    description: 'A second request changes nothing and has the same answer.',
  })
  @ApiOkResponse({ type: KeyDto })
  @ApiNotFoundResponse(noSuchKey)
  async revoke(
    @Param('id') id: string,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<KeyDto> {
    await this.keys.revoke(await this.own(id, caller), author);
    return toKeyDto(await this.own(id, caller), this.clock.now());
  }

  private async own(id: string, caller: CallerIdentity) {
    return this.keys.get(id, { userId: userOf(caller).userId });
  }

  private async owner(request: FastifyRequest): Promise<KeyOwner> {
    const active = await this.identity.assertActive(presentedToken(request));
    return {
      id: active.user_id,
      email: active.email,
      companyId: active.user_company_id,
      credentialsVersion: active.credentials_version,
    };
  }
}
