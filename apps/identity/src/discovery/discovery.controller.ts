import { Controller, Get, Header, Headers, HttpCode, Options, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../app.config.js';
import { protectedResourceMetadata, serviceListing } from './discovery-documents.js';

/** The documents that oidc-provider does not serve. */
@Controller()
export class DiscoveryController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  listing() {
    return serviceListing(this.config);
  }

  @Get('.well-known/oauth-protected-resource')
  @Header('Access-Control-Allow-Origin', '*')
  protectedResource() {
    return protectedResourceMetadata(this.config);
  }

  /** Browser clients send headers of their own, which need a preflight request. */
  @Options(['', '.well-known/oauth-protected-resource'])
  @HttpCode(204)
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Access-Control-Allow-Methods', 'GET')
  @Header('Access-Control-Max-Age', '3600')
  preflight(
    @Headers('access-control-request-headers') wanted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): void {
    if (wanted !== undefined) void reply.header('Access-Control-Allow-Headers', wanted);
  }
}
