import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Administrators, Author, type ChangeAuthor } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { Clients } from '../operators/clients.service.js';
import {
  clientDto,
  ClientDto,
  ClientPageDto,
  ClientPathDto,
  ClientWithSecretDto,
  CreateClientDto,
  EditClientDto,
  ResourceDto,
} from './admin-clients.dto.js';
import { PageQueryDto } from './admin-users.dto.js';

const noClient = { status: 404, description: 'No client has this id' };

/** As the commands `client ...`. Clients belong to no company. */
@ApiTags('clients')
@ApiBearerAuth()
@Administrators()
@Controller('admin/clients')
export class AdminClientsController {
  constructor(private readonly clients: Clients) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Clients, newest first' })
  @ApiOkResponse({ type: ClientPageDto })
  async list(@Query() query: PageQueryDto): Promise<ClientPageDto> {
    const { page, next_cursor } = await this.clients.page(query);
    return { clients: page.map(clientDto), next_cursor };
  }

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Make a client; the answer is the only one that shows its secret' })
  @ApiOkResponse({ type: ClientWithSecretDto })
  @ApiResponse({ status: 409, description: 'The id is taken' })
  async create(@Body() body: CreateClientDto, @Author() author: ChangeAuthor): Promise<ClientWithSecretDto> {
    const given = {
      id: body.client_id,
      name: body.client_name,
      redirectUris: body.redirect_uris,
      postLogoutRedirectUris: body.post_logout_redirect_uris,
      backchannelLogoutUri: body.backchannel_logout_uri,
      grantTypes: body.grant_types ?? ['authorization_code', 'refresh_token'],
      authMethod: body.token_endpoint_auth_method,
      scope: body.scope,
      introspects: body.introspects,
      resources: body.resources,
    };
    const created = await this.clients.create(given, author);
    if (!created) {
      throw new ServiceError({ code: 'request.conflict', status: 409, message: 'There is a client with this id' });
    }
    return { ...(await this.get({ client_id: created.clientId })), client_secret: created.clientSecret ?? null };
  }

  @Get(':client_id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One client, without its secret' })
  @ApiOkResponse({ type: ClientDto })
  @ApiResponse(noClient)
  async get(@Param() { client_id: id }: ClientPathDto): Promise<ClientDto> {
    return clientDto(await this.clients.get(id));
  }

  @Patch(':client_id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Change a client; what is absent stays, null removes' })
  @ApiOkResponse({ type: ClientDto })
  @ApiResponse(noClient)
  async edit(
    @Param() path: ClientPathDto,
    @Body() body: EditClientDto,
    @Author() author: ChangeAuthor,
  ): Promise<ClientDto> {
    const given = {
      name: body.client_name,
      redirectUris: body.redirect_uris,
      postLogoutRedirectUris: body.post_logout_redirect_uris,
      backchannelLogoutUri: body.backchannel_logout_uri,
      grantTypes: body.grant_types,
      scope: body.scope,
    };
    await this.clients.edit(path.client_id, given, author);
    return this.get(path);
  }

  @Post(':client_id/resources/allow')
  @HttpCode(200)
  @ApiOperation({ summary: 'Let the client ask for tokens of a resource, one of OAUTH_RESOURCES' })
  @ApiOkResponse({ type: ClientDto })
  @ApiResponse(noClient)
  async allowResource(
    @Param() path: ClientPathDto,
    @Body() { resource }: ResourceDto,
    @Author() author: ChangeAuthor,
  ): Promise<ClientDto> {
    await this.clients.allowResource(path.client_id, resource, author);
    return this.get(path);
  }

  @Post(':client_id/resources/disallow')
  @HttpCode(200)
  @ApiOperation({ summary: 'No more tokens of a resource for the client; existing ones are valid until they expire' })
  @ApiOkResponse({ type: ClientDto })
  @ApiResponse(noClient)
  async disallowResource(
    @Param() path: ClientPathDto,
    @Body() { resource }: ResourceDto,
    @Author() author: ChangeAuthor,
  ): Promise<ClientDto> {
    await this.clients.disallowResource(path.client_id, resource, author);
    return this.get(path);
  }

  @Post(':client_id/rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'A new secret, shown this once; the old one is refused from now on' })
  @ApiOkResponse({ type: ClientWithSecretDto })
  @ApiResponse(noClient)
  @ApiResponse({ status: 409, description: 'The client has no secret' })
  async rotateSecret(@Param() path: ClientPathDto, @Author() author: ChangeAuthor): Promise<ClientWithSecretDto> {
    const secret = await this.clients.rotateSecret(path.client_id, author);
    return { ...(await this.get(path)), client_secret: secret };
  }

  @Delete(':client_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove the client with its grants and tokens' })
  @ApiNoContentResponse({ description: 'It is removed' })
  @ApiResponse(noClient)
  async delete(@Param() path: ClientPathDto, @Author() author: ChangeAuthor): Promise<void> {
    if (!(await this.clients.delete(path.client_id, author))) await this.get(path);
  }
}
