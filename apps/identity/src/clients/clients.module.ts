import { Module } from '@nestjs/common';
import { Clients } from './clients.service.js';

@Module({ providers: [Clients] })
export class ClientsModule {}
