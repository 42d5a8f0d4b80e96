import { Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import {
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { Grants } from '../operators/grants.service.js';
import { grantDto, GrantListQueryDto, GrantPageDto, GrantPathDto } from './admin-grants.dto.js';

/** What users allowed clients to do. A caller that belongs to a company sees and ends the grants of its users. */
@ApiTags('grants')
@ApiBearerAuth()
@CompanyAdministrators()
@Controller('admin/grants')
export class AdminGrantsController {
  constructor(private readonly grants: Grants) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Grants of a user, of a client, or all; those that last longest first' })
  @ApiOkResponse({ type: GrantPageDto })
  async list(@Query() query: GrantListQueryDto, @Caller() caller: CallerIdentity): Promise<GrantPageDto> {
    const { user_id: userId, client_id: clientId } = query;
    const companyId = companyScopeOf(caller);
    // No index has the grants of a company in order.
    if (companyId !== undefined && userId === undefined) {
      throw new ServiceError({
        code: 'request.invalid',
        status: 400,
        message: ['user_id is required for a caller who belongs to a company'],
      });
    }
    const { page, next_cursor } = await this.grants.page({ userId, clientId, companyId }, query);
    return { grants: page.map(grantDto), next_cursor };
  }

  @Post(':grant_id/end')
  @HttpCode(204)
  @ApiOperation({ summary: 'End a grant with its codes and tokens; the client has to ask the user again' })
  @ApiNoContentResponse({ description: 'It has ended' })
  @ApiResponse({ status: 404, description: 'There is no such grant, or none of a user of the company of the caller' })
  async end(
    @Param() { grant_id: id }: GrantPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<void> {
    await this.grants.end(id, companyScopeOf(caller), author);
  }
}
