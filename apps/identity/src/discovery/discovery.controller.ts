import { Controller, Get, Header } from '@nestjs/common';
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
}
