import { Args, Context, Mutation, Query, Resolver } from '@nestjs/graphql';
import { inputPipe } from '../request/input-pipe.js';
import type { RequestContext } from '../request/request-context.js';
import { IdentityClient } from './identity-client.js';
import { AuthenticateUserInput, AuthenticateUserResult } from './login.types.js';

@Resolver()
export class LoginResolver {
  constructor(private readonly identity: IdentityClient) {}

  @Query(() => String, {
    description:
      'Where the data is: GraphQL asks every schema for one query, and this one answers the path of the data API.',
  })
  dataEndpoint(): string {
    return '/graphql';
  }

  @Mutation(() => AuthenticateUserResult, {
    description:
      'Logs a user in. Needs no Authorization header. Wrong credentials: HTTP 401; too many attempts: HTTP 429.',
  })
  async authenticateUser(
    @Args(
      'input',
      { type: () => AuthenticateUserInput, description: 'Email and password.' },
      inputPipe(AuthenticateUserInput),
    )
    input: Readonly<AuthenticateUserInput>,
    @Context('gateway') context: RequestContext,
  ): Promise<AuthenticateUserResult> {
    return { token: await this.identity.login({ email: input.email, password: input.password }, context.ip) };
  }
}
