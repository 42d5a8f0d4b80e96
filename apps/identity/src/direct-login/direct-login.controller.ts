import { Body, Controller, Get, Header, Headers, HttpCode, Ip, Post } from '@nestjs/common';
import { DirectLoginRequest } from './direct-login.dto.js';
import type { DirectLoginResponse, UserProfile } from './direct-login.dto.js';
import { DirectLogin } from './direct-login.service.js';

@Controller('auth')
export class DirectLoginController {
  constructor(private readonly directLogin: DirectLogin) {}

  @Post('login')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  login(@Body() credentials: DirectLoginRequest, @Ip() ip: string): Promise<DirectLoginResponse> {
    return this.directLogin.login(credentials, ip);
  }

  @Get('me')
  @Header('Cache-Control', 'no-store')
  me(@Headers('authorization') authorization: string | undefined): Promise<UserProfile> {
    return this.directLogin.profile(authorization);
  }
}
