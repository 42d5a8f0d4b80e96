import { Body, Controller, Get, Header, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  Administrators,
  assertActsFor,
  Author,
  Caller,
  CompanyAdministrators,
  companyScopeOf,
  type CallerIdentity,
  type ChangeAuthor,
} from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { messagesFor } from '../pages/page-messages.js';
import { Users, type UserName } from '../operators/users.service.js';
import {
  CreateUserDto,
  InviteUserDto,
  PageQueryDto,
  sessionDto,
  SessionPageDto,
  SessionPathDto,
  SetCompanyDto,
  SetRoleDto,
  UserDto,
  userDto,
  UserLinkDto,
  userLinkDto,
  UserListQueryDto,
  UserPageDto,
  UserPathDto,
} from './admin-users.dto.js';

const noUser = { status: 404, description: 'No user has this id, or none of the company of the caller' };
const lastAdmin = { status: 409, description: 'It is the last ADMIN who is enabled and belongs to no company' };

/** As the commands `user ...`. A caller that belongs to a company sees and changes the users of that company. */
@ApiTags('users')
@ApiBearerAuth()
@Controller('admin/users')
export class AdminUsersController {
  constructor(private readonly users: Users) {}

  @Get()
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Users, newest first, or by the beginning of their address' })
  @ApiOkResponse({ type: UserPageDto })
  async list(@Query() query: UserListQueryDto, @Caller() caller: CallerIdentity): Promise<UserPageDto> {
    const { search, company_id: given, role } = query;
    if (given !== undefined) assertActsFor(caller, given);
    const companyId = given ?? companyScopeOf(caller);
    const { page, next_cursor } = await this.users.page({ search, companyId, role }, query);
    return { users: page.map(userDto), next_cursor };
  }

  @Post()
  @HttpCode(200)
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Make a user' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse({ status: 409, description: 'The address is taken' })
  async create(
    @Body() body: CreateUserDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    if (body.company_id !== null) assertActsFor(caller, body.company_id);
    const given = {
      email: body.email,
      password: body.password,
      role: body.role,
      name: body.name,
      givenName: body.given_name,
      familyName: body.family_name,
      preferredUsername: body.preferred_username,
      emailVerified: body.email_verified,
      companyId: body.company_id ?? companyScopeOf(caller),
    };
    const created = await this.users.create(given, author);
    if (created) return userDto(created);
    throw new ServiceError({ code: 'request.conflict', status: 409, message: 'There is a user with this address' });
  }

  @Post('invite')
  @HttpCode(200)
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Make a user who sets the password with a link' })
  @ApiOkResponse({ type: UserLinkDto })
  @ApiResponse({ status: 409, description: 'The address is taken' })
  async invite(
    @Body() body: InviteUserDto,
    @Headers('accept-language') accepted: string | undefined,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserLinkDto> {
    if (body.company_id !== null) assertActsFor(caller, body.company_id);
    const { email, role, name, language } = body;
    const companyId = body.company_id ?? companyScopeOf(caller);
    const { language: otherwise } = messagesFor(undefined, accepted);
    const made = await this.users.invite({ email, role, name, companyId, language }, author, otherwise);
    if (made) return userLinkDto(made);
    throw new ServiceError({ code: 'request.conflict', status: 409, message: 'There is a user with this address' });
  }

  @Get(':user_id')
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One user' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  async get(@Param() { user_id: id }: UserPathDto, @Caller() caller: CallerIdentity): Promise<UserDto> {
    return userDto(await this.users.find(id, companyScopeOf(caller)));
  }

  @Post(':user_id/role')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({ summary: 'Change the role, which ends every session and token of the user' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  @ApiResponse(lastAdmin)
  async setRole(
    @Param() path: UserPathDto,
    @Body() { role }: SetRoleDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    return userDto(await this.users.setRole(nameOf(path, caller), role, author));
  }

  /** It concerns two companies, so a caller that belongs to one may not. */
  @Post(':user_id/company')
  @HttpCode(200)
  @Administrators()
  @ApiOperation({ summary: 'Let the user belong to a company, or to none, which ends every session and token' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  @ApiResponse(lastAdmin)
  async setCompany(
    @Param() path: UserPathDto,
    @Body() { company_id: companyId }: SetCompanyDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    return userDto(await this.users.setCompany(nameOf(path, caller), companyId, author));
  }

  @Post(':user_id/disable')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({ summary: 'End every session, grant, token and API key of the user, and refuse new ones' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  @ApiResponse(lastAdmin)
  async disable(
    @Param() path: UserPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    return userDto(await this.users.disable(nameOf(path, caller), author));
  }

  @Post(':user_id/enable')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({ summary: 'Let a disabled user sign in again' })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  async enable(
    @Param() path: UserPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    return userDto(await this.users.enable(nameOf(path, caller), author));
  }

  @Post(':user_id/password-link')
  @HttpCode(200)
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Make a link with which the user sets a new password',
    description: 'A mail with it is in the language of the user, and in that of Accept-Language where none is known.',
  })
  @ApiOkResponse({ type: UserLinkDto })
  @ApiResponse(noUser)
  @ApiResponse({ status: 409, description: 'The user is disabled' })
  async makePasswordLink(
    @Param() path: UserPathDto,
    @Headers('accept-language') accepted: string | undefined,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserLinkDto> {
    const { language: otherwise } = messagesFor(undefined, accepted);
    return userLinkDto(await this.users.makePasswordLink(nameOf(path, caller), author, { otherwise }));
  }

  @Post(':user_id/second-factor/reset')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({
    summary: 'Remove the app, passkeys and recovery codes of a user who has lost them, and end every session and token',
  })
  @ApiOkResponse({ type: UserDto })
  @ApiResponse(noUser)
  async resetSecondFactor(
    @Param() path: UserPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<UserDto> {
    return userDto(await this.users.resetSecondFactor(nameOf(path, caller), author));
  }

  @Get(':user_id/sessions')
  @CompanyAdministrators()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Where the user is signed in' })
  @ApiOkResponse({ type: SessionPageDto })
  @ApiResponse(noUser)
  async listSessions(
    @Param() { user_id: id }: UserPathDto,
    @Query() query: PageQueryDto,
    @Caller() caller: CallerIdentity,
  ): Promise<SessionPageDto> {
    const { page, next_cursor } = await this.users.listSessions({ id, companyId: companyScopeOf(caller) }, query);
    return { sessions: page.map(sessionDto), next_cursor };
  }

  @Post(':user_id/sessions/end-all')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({ summary: 'End every session, grant and token of the user; API keys stay' })
  @ApiOkResponse({ type: SessionPageDto, description: 'None is left' })
  @ApiResponse(noUser)
  async endAllSessions(
    @Param() path: UserPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<SessionPageDto> {
    await this.users.endAllSessions(nameOf(path, caller), author);
    return { sessions: [], next_cursor: null };
  }

  @Post(':user_id/sessions/:session_id/end')
  @HttpCode(200)
  @CompanyAdministrators()
  @ApiOperation({ summary: 'End one session, as signing out there does' })
  @ApiOkResponse({ type: SessionPageDto, description: 'The first of those that are left' })
  @ApiResponse({ status: 404, description: `${noUser.description}; or the user has no such session` })
  async endSession(
    @Param() path: SessionPathDto,
    @Caller() caller: CallerIdentity,
    @Author() author: ChangeAuthor,
  ): Promise<SessionPageDto> {
    await this.users.endSession(nameOf(path, caller), path.session_id, author);
    return this.listSessions(path, new PageQueryDto(), caller);
  }
}

function nameOf({ user_id: id }: UserPathDto, caller: CallerIdentity): UserName {
  return { id, companyId: companyScopeOf(caller) };
}
