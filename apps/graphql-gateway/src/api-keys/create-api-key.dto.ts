import { Field, InputType, Int } from '@nestjs/graphql';
import { Transform } from 'class-transformer';
import { MayBeNull } from '@tradewind/shared-types';
import { Length, Matches, Max, Min } from 'class-validator';

/** Days that a key lives unless its maker says less; also the longest life. */
export const keyLifeDaysMax = 365;
const daysMessage = `expiresInDays must be 1 to ${keyLifeDaysMax}, not $value`;

@InputType({ description: 'What the new API key is for and how long it lives.' })
export class CreateApiKeyInput {
  @Transform(({ value }: { value: string }) => value.trim())
  @Length(1, 100, { message: 'name must have 1 to 100 characters' })
  // A name is shown in lists and logs, one line each; PostgreSQL refuses NUL and half characters.
  @Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: 'name must not hold control characters' })
  @Field(() => String, {
    description: 'Name to recognise the key by, 1 to 100 characters, for example "nightly import".',
  })
  name!: string;

  @MayBeNull()
  @Min(1, { message: daysMessage })
  @Max(keyLifeDaysMax, { message: daysMessage })
  @Field(() => Int, { nullable: true, description: 'Days until the key expires, 1 to 365. Default: 365.' })
  expiresInDays?: number | null;
}
