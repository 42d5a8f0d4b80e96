import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeForm, loginForm, pageForm, passkeyAnswerForm, setUpForm } from './login-pages.dto.js';
import { LoginPages } from './login-pages.service.js';
import { PageErrorFilter, sendPage } from './page-answer.js';

@Controller('login/:uid')
@UseFilters(PageErrorFilter)
export class LoginPagesController {
  constructor(private readonly pages: LoginPages) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(reply, await this.pages.show({ request, reply }));
  }

  @Post('submit')
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.submit({ request, reply }, loginForm(body)));
  }

  @Post('code')
  async code(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.prove({ request, reply }, codeForm(body)));
  }

  @Post('passkey')
  async passkey(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.prove({ request, reply }, passkeyAnswerForm(body)));
  }

  @Post('set-up')
  async setUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.setUp({ request, reply }, setUpForm(body)));
  }

  @Post('confirm')
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.confirm({ request, reply }, pageForm(body)));
  }

  @Post('switch')
  async switchAccount(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() body: unknown,
  ): Promise<void> {
    sendPage(reply, await this.pages.switchAccount({ request, reply }, pageForm(body)));
  }

  @Post('abort')
  async abort(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
    sendPage(reply, await this.pages.abort({ request, reply }, pageForm(body)));
  }
}
