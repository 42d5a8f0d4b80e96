import { Field, Float, ObjectType } from '@nestjs/graphql';
import type { MoneyMultiplier as Multiplier } from '@tradewind/filters';
import { MoneyMultiplier } from './enums.js';

/** An amount of money as it is stored and answered: nothing is converted or rounded. */
@ObjectType({ description: 'An amount of money. The amount in units of the currency is value times multiplier.' })
export class Money {
  @Field(() => Float, { nullable: true, description: 'Amount, counted in multiples of `multiplier`; for example 1.5.' })
  value!: number | null;

  @Field(() => String, { nullable: true, description: 'Currency code, ISO 4217, for example "USD".' })
  currency!: string | null;

  @Field(() => MoneyMultiplier, { nullable: true, description: 'What `value` is multiplied by, for example MILLIONS.' })
  multiplier!: Multiplier | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the amount was confirmed by a source.' })
  isVerified!: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'Currency code of the original amount, ISO 4217, for example "EUR".',
  })
  localCurrency!: string | null;

  @Field(() => Float, { nullable: true, description: 'Original amount in `localCurrency`.' })
  localCurrencyValue!: number | null;

  @Field(() => MoneyMultiplier, { nullable: true, description: 'What `localCurrencyValue` is multiplied by.' })
  localCurrencyValueMultiplier!: Multiplier | null;
}

/** Options of a nullable Money field. */
export function moneyField(meaning: string) {
  return { nullable: true, description: `${meaning} Null when unknown.` };
}
