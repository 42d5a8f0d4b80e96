import { Field, InputType, Int } from '@nestjs/graphql';

@InputType({ description: 'What the new API key is for and how long it lives.' })
export class CreateApiKeyInput {
  @Field(() => String, {
    description: 'Name to recognise the key by, 1 to 100 characters, for example "nightly import".',
  })
  name!: string;

  @Field(() => Int, { nullable: true, description: 'Days until the key expires, 1 to 365. Default: 365.' })
  expiresInDays?: number | null;
}
