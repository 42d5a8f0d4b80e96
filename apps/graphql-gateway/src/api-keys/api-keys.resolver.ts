import { Args, Context, Mutation, Resolver } from '@nestjs/graphql';
import { userInputError } from '../request/graphql-errors.js';
import type { RequestContext } from '../request/request-context.js';
import { IdentityClient } from '../login/identity-client.js';
import { ApiKeysService, keyLifeDaysMax } from './api-keys.service.js';
import { CreateApiKeyInput } from './create-api-key.dto.js';

@Resolver()
export class ApiKeysResolver {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly identity: IdentityClient,
  ) {}

  @Mutation(() => String, {
    description:
      'Makes an API key for the logged-in user and returns it. It is shown this once and cannot be read again: store it in a secret vault. Needs the JWT of authenticateUser as `Authorization: Bearer <token>`.',
  })
  async createApiKey(
    @Args('input', { type: () => CreateApiKeyInput, description: 'Name and life of the key.' })
    input: Readonly<CreateApiKeyInput>,
    @Context('gateway') context: RequestContext,
  ): Promise<string> {
    const given = validated(input);
    // The signature alone says nothing of a user who was disabled, or whose password changed, since then.
    await this.identity.assertLoggedIn(context.request.headers.authorization!);
    return this.apiKeys.create({
      userId: context.user!.id,
      userEmail: context.user!.email,
      credentialsVersion: context.user!.credentialsVersion!,
      ...given,
      ip: context.ip,
      operationName: context.operationName,
    });
  }
}

function validated(input: Readonly<CreateApiKeyInput>): { name: string; expiresInDays: number } {
  const name = input.name.trim();
  const length = [...name].length;
  if (length < 1 || length > 100) throw userInputError('input.name must have 1 to 100 characters');
  // A name is shown in lists and logs, one line each; PostgreSQL refuses NUL.
  if (/\p{Cc}/u.test(name)) throw userInputError('input.name must not hold control characters');
  const expiresInDays = input.expiresInDays ?? keyLifeDaysMax;
  if (expiresInDays < 1 || expiresInDays > keyLifeDaysMax) {
    throw userInputError(`input.expiresInDays must be 1 to ${keyLifeDaysMax}, not ${expiresInDays}`);
  }
  return { name, expiresInDays };
}
