import { Module } from '@nestjs/common';
import { LoginPagesController } from './login-pages.controller.js';
import { LoginPages } from './login-pages.service.js';

@Module({ controllers: [LoginPagesController], providers: [LoginPages] })
export class LoginPagesModule {}
