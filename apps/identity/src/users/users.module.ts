import { Module } from '@nestjs/common';
import { CredentialChangesController } from './credential-changes.controller.js';
import { CredentialChangesStore } from './credential-changes.store.js';
import { Users } from './users.service.js';

@Module({ controllers: [CredentialChangesController], providers: [Users, CredentialChangesStore] })
export class UsersModule {}
