import { Field, InputType, ObjectType } from '@nestjs/graphql';

@InputType({ description: 'Credentials of a user of the platform.' })
export class AuthenticateUserInput {
  @Field(() => String, { description: 'Email address of the account, for example "demo@example.com".' })
  email!: string;

  @Field(() => String, { description: 'Password of the account.' })
  password!: string;
}

@ObjectType({ description: 'The outcome of a log-in.' })
export class AuthenticateUserResult {
  @Field(() => String, {
    description:
      'JWT that lives a few minutes. It creates API keys (header `Authorization: Bearer <token>`) and opens nothing else.',
  })
  token!: string;
}
