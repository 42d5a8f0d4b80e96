import { UseGuards } from '@nestjs/common';
import { Args, Context, Mutation, Resolver } from '@nestjs/graphql';
import { inputPipe } from '../request/input-pipe.js';
import type { RequestContext } from '../request/request-context.js';
import { DirectLoginGuard } from '../login/direct-login.guard.js';
import { IdentityClient } from '../login/identity-client.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';
import { ApiKeysService } from './api-keys.service.js';
import { CreateApiKeyInput, keyLifeDaysMax } from './create-api-key.dto.js';

@Resolver()
export class ApiKeysResolver {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly identity: IdentityClient,
    private readonly refusedKeys: RefusedKeysLimit,
  ) {}

  @UseGuards(DirectLoginGuard)
  @Mutation(() => String, {
    description:
      'Makes an API key for the logged-in user and returns it. It is shown this once and cannot be read again: store it in a secret vault. Needs the JWT of authenticateUser as `Authorization: Bearer <token>`.',
  })
  async createApiKey(
    @Args(
      'input',
      { type: () => CreateApiKeyInput, description: 'Name and life of the key.' },
      inputPipe(CreateApiKeyInput),
    )
    input: Readonly<CreateApiKeyInput>,
    @Context('gateway') context: RequestContext,
  ): Promise<string> {
    // The signature does not say whether the user was disabled or got a new password since then.
    const authorization = context.request.headers.authorization!;
    await this.refusedKeys.counted(context.ip, () => this.identity.assertLoggedIn(authorization));
    const { id, email, credentialsVersion, companyId } = context.user!;
    const { text } = await this.apiKeys.create(
      // The guard has verified the JWT, which has these.
      { id, email, credentialsVersion: credentialsVersion!, companyId: companyId ?? null },
      { name: input.name, expiresInDays: input.expiresInDays ?? keyLifeDaysMax },
      { by: id, ip: context.ip },
      context.operationName,
    );
    return text;
  }
}
