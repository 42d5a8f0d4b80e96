import { Controller, Get, Header, Headers, HttpCode, Options, Req, Res } from '@nestjs/common';
import { addVary, sendPage, wantsPage } from '@tradewind/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../app.config.js';
import { scopes } from '../oidc/policy/resources.js';
import { routes } from '../oidc/policy/routes.js';
import { listingPage } from '../pages/listing-page.js';
import { messagesFor } from '../pages/page-messages.js';

/** The documents that oidc-provider does not serve. */
@Controller()
export class DiscoveryController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  listing(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const listing = serviceListing(this.config);
    if (wantsPage(request)) {
      const messages = messagesFor(undefined, request.headers['accept-language']);
      sendPage(reply, 200, listingPage(messages, listing, this.config.API_DOCS));
    } else {
      addVary(reply, 'Accept', 'Accept-Language');
      void reply.send(listing);
    }
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

/** RFC 9728: this service as a resource, mainly its userinfo endpoint. */
function protectedResourceMetadata({ OAUTH_ISSUER: issuer }: AppConfig) {
  return {
    resource: issuer,
    authorization_servers: [issuer],
    jwks_uri: issuer + routes.jwks,
    bearer_methods_supported: ['header'],
    // offline_access is no scope of a resource. But clients such as the Model Context Protocol SDK 1.x ask for exactly
    // these scopes. Without it they would get no refresh token. Without the list they ask for no scope and are refused.
    scopes_supported: [...scopes],
    resource_name: 'Tradewind identity',
  };
}

/** `GET /`: what is here and where. */
function serviceListing(config: AppConfig) {
  const { OAUTH_ISSUER: issuer } = config;
  const at = (path: string): string => issuer + path;
  return {
    service: 'identity',
    version: config.SERVICE_VERSION,
    environment: config.ENVIRONMENT,
    issuer,
    endpoints: {
      openid_configuration: at('/.well-known/openid-configuration'),
      oauth_authorization_server: at('/.well-known/oauth-authorization-server'),
      oauth_protected_resource: at('/.well-known/oauth-protected-resource'),
      authorization: at(routes.authorization),
      token: at(routes.token),
      userinfo: at(routes.userinfo),
      jwks: at(routes.jwks),
      introspection: at(routes.introspection),
      revocation: at(routes.revocation),
      end_session: at(routes.end_session),
      ...(config.OAUTH_DYNAMIC_REGISTRATION ? { registration: at(routes.registration) } : {}),
      ...(config.PAR === 'off' ? {} : { pushed_authorization_request: at(routes.pushed_authorization_request) }),
      login: at('/auth/login'),
      me: at('/auth/me'),
      health: at('/health'),
      ready: at('/ready'),
    },
  };
}
