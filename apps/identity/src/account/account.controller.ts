import { Body, Controller, Get, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageForm } from '../login-pages/login-pages.dto.js';
import { PageErrorFilter, sendPage } from '../login-pages/page-answer.js';
import { applicationForm, passwordForm, sessionForm } from './account.dto.js';
import { AccountPages } from './account-pages.service.js';

@Controller('account')
@UseFilters(PageErrorFilter)
export class AccountController {
  constructor(private readonly pages: AccountPages) {}

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

  @Post('sign-out')
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.signOut({ request, reply }, pageForm(body)));
  }
}
