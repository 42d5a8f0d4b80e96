import { Body, Controller, Get, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageForm, textField } from '../login-pages/login-pages.dto.js';
import { PageErrorFilter, sendPage } from '../login-pages/page-answer.js';
import { askForm, newPasswordForm, tokenForm } from './account.dto.js';
import { LinkPages } from './link-pages.service.js';

@Controller('account')
@UseFilters(PageErrorFilter)
export class LinkPagesController {
  constructor(private readonly pages: LinkPages) {}

  @Get('forgotten')
  async askForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(reply, await this.pages.askForm({ request, reply }));
  }

  @Post('forgotten')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.ask({ request, reply }, askForm(body)));
  }

  @Get('set-password')
  async passwordForm(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query() query: unknown,
  ): Promise<void> {
    sendPage(reply, await this.pages.setPasswordForm({ request, reply }, textField(query, 'token')));
  }

  @Post('set-password')
  async setPassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.setPassword({ request, reply }, newPasswordForm(body)));
  }

  @Get('verify-email')
  async verifyForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    sendPage(reply, await this.pages.verifyEmailForm({ request, reply }, textField(query, 'token')));
  }

  @Post('verify-email')
  async verify(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.verifyEmail({ request, reply }, tokenForm(body)));
  }

  @Post('verify-email/send')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.sendVerification({ request, reply }, pageForm(body)));
  }
}
