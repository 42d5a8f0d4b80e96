import { Body, Controller, Get, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageForm, setUpForm } from '../login-pages/login-pages.dto.js';
import { PageErrorFilter, sendPage } from '../login-pages/page-answer.js';
import { applicationForm, factorForm, passwordForm, sessionForm } from './account.dto.js';
import { AccountPages } from './account-pages.service.js';
import { TwoFactorPages } from './two-factor-pages.service.js';

@Controller('account')
@UseFilters(PageErrorFilter)
export class AccountController {
  constructor(
    private readonly pages: AccountPages,
    private readonly twoFactor: TwoFactorPages,
  ) {}

  @Get()
  async overview(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    sendPage(reply, await this.pages.overview({ request, reply }, query));
  }

  @Get('signed-in')
  async signedIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    sendPage(reply, await this.pages.signedIn({ request, reply }, query));
  }

  @Get('password')
  async password(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(reply, await this.pages.password({ request, reply }));
  }

  @Post('password')
  async setPassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.setPassword({ request, reply }, passwordForm(body)));
  }

  @Get('sessions')
  async sessions(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    sendPage(reply, await this.pages.sessions({ request, reply }, query));
  }

  @Post('sessions/end')
  async endSession(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.endSession({ request, reply }, sessionForm(body)));
  }

  @Post('sessions/end-all')
  async endAll(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.endAll({ request, reply }, pageForm(body)));
  }

  @Get('applications')
  async applications(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query() query: unknown,
  ): Promise<void> {
    sendPage(reply, await this.pages.applications({ request, reply }, query));
  }

  @Post('applications/revoke')
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.revoke({ request, reply }, applicationForm(body)));
  }

  @Get('two-factor')
  async factors(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    sendPage(reply, await this.twoFactor.overview({ request, reply }, query));
  }

  @Get('two-factor/app')
  async appForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(reply, await this.twoFactor.appForm({ request, reply }));
  }

  @Post('two-factor/app')
  async addApp(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.twoFactor.addApp({ request, reply }, setUpForm(body)));
  }

  @Get('two-factor/passkey')
  async passkeyForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(reply, await this.twoFactor.passkeyForm({ request, reply }));
  }

  @Post('two-factor/passkey')
  async addPasskey(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.twoFactor.addPasskey({ request, reply }, setUpForm(body)));
  }

  @Post('two-factor/remove')
  async removeFactor(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.twoFactor.remove({ request, reply }, factorForm(body)));
  }

  @Post('two-factor/codes')
  async renewCodes(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.twoFactor.renewCodes({ request, reply }, pageForm(body)));
  }

  @Post('sign-out')
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.signOut({ request, reply }, pageForm(body)));
  }
}
