import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { MaxLength } from 'class-validator';

/** Characters; identity accepts no longer ones. */
const emailCharsMax = 254;
const passwordCharsMax = 1024;

@InputType({ description: 'Credentials of a user of the platform.' })
export class AuthenticateUserInput {
  @MaxLength(emailCharsMax, { message: `email must have at most ${emailCharsMax} characters` })
  @Field(() => String, { description: 'Email address of the account, for example "demo@example.com".' })
  email!: string;

  @MaxLength(passwordCharsMax, { message: `password must have at most ${passwordCharsMax} characters` })
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
