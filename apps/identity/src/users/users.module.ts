import { Module } from '@nestjs/common';
import { Users } from './users.service.js';

@Module({ providers: [Users] })
export class UsersModule {}
