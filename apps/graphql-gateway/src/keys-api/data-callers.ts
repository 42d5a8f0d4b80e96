// Who may call the REST endpoints: users with an access token for the data resource, and machines with a service token
// for this service. Neither an API key nor the JWT of a log-in is one. Tokens that are refused count like refused keys.
import { Injectable } from '@nestjs/common';
import {
  CallerAuth,
  IssuerKeys,
  IssuerTokens,
  LiveTokens,
  unauthenticated,
  type CallerIdentity,
  ServiceName,
} from '@tradewind/service-kit';
import { platformResource, userRoles } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../app.config.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class DataCallers extends CallerAuth {
  constructor(
    config: AppConfig,
    serviceName: ServiceName,
    keys: IssuerKeys,
    private readonly refusedKeys: RefusedKeysLimit,
    liveTokens: LiveTokens,
  ) {
    super({
      serviceName: serviceName.value,
      SERVICE_TOKENS: config.SERVICE_TOKENS,
      roles: userRoles,
      userTokens: new IssuerTokens({
        issuer: config.OAUTH_ISSUER,
        keys,
        audience: platformResource.data,
        directLogin: false,
      }),
      goodTokens: liveTokens,
    });
  }

  override async authenticate(request: FastifyRequest): Promise<CallerIdentity> {
    return this.refusedKeys.counted(request.ip, async () => {
      const caller = await super.authenticate(request);
      // The tables know users by their UUID, which is every `sub` of identity.
      if (caller.kind !== 'user') return caller;
      if (!uuid.test(caller.userId)) throw unauthenticated('The token is not valid', 'invalid_token');
      return caller;
    });
  }
}
