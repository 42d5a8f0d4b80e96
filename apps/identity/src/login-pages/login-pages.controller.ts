import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LoginPageErrorFilter } from './login-page-error.filter.js';
import { LoginPages } from './login-pages.service.js';
import { answer } from './page-answer.js';

@Controller('login')
@UseFilters(LoginPageErrorFilter)
export class LoginPagesController {
  constructor(private readonly pages: LoginPages) {}

  @Get(':uid')
  async show(@Param('uid') uid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    answer(reply, await this.pages.show(uid, request, reply));
  }

  @Post(':uid/submit')
  async submit(
    @Param('uid') uid: string,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answer(reply, await this.pages.submit(uid, form, request, reply));
  }

  @Post(':uid/confirm')
  async confirm(
    @Param('uid') uid: string,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answer(reply, await this.pages.confirm(uid, form, request, reply));
  }

  @Post(':uid/abort')
  async abort(
    @Param('uid') uid: string,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answer(reply, await this.pages.abort(uid, form, request, reply));
  }
}
