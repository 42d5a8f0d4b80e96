import { Module } from '@nestjs/common';
import { DirectLoginController } from './direct-login.controller.js';
import { DirectLogin } from './direct-login.service.js';

@Module({ controllers: [DirectLoginController], providers: [DirectLogin] })
export class DirectLoginModule {}
