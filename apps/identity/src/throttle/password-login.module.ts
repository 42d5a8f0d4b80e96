import { Global, Module } from '@nestjs/common';
import { PasswordHashing } from '../users/password-hashing.js';
import { PasswordLogin } from './password-login.js';

@Global()
@Module({ providers: [PasswordLogin, PasswordHashing], exports: [PasswordLogin, PasswordHashing] })
export class PasswordLoginModule {}
