import { ArgsType, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Gender as GenderMember } from '@tradewind/filters';
import { connectionOf } from '../../connections/connection.types.js';
import { Gender } from '../field-types/enums.js';
import { InputPersonsSearchFilters } from '../field-types/filter-inputs.js';
import { Money, moneyField } from '../field-types/money.js';
import { PersonCountry } from '../field-types/references.js';

@ObjectType({ description: 'One way to recognise a person elsewhere.' })
export class PersonIdentifier {
  @Field(() => String, { description: 'Kind of the identifier, for example the name of a social network.' })
  name!: string;

  @Field(() => String, { description: 'URL or handle.' })
  value!: string;
}

@ObjectType({ description: 'Salary of a person per year, before tax.' })
export class PersonSalary {
  @Field(() => Money, moneyField('Gross salary.'))
  grossSalary!: Money | null;

  @Field(() => Money, moneyField('Lower end of the estimated range.'))
  grossSalaryLowerRange!: Money | null;

  @Field(() => Money, moneyField('Upper end of the estimated range.'))
  grossSalaryUpperRange!: Money | null;
}

@ObjectType({ description: 'A person.' })
export class Person {
  @Field(() => ID, { description: 'Id of the person.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'First name. Null when unknown.' })
  firstName!: string | null;

  @Field(() => String, { nullable: true, description: 'Last name. Null when unknown.' })
  lastName!: string | null;

  @Field(() => String, { description: 'Full name.' })
  name!: string;

  @Field(() => Gender, { nullable: true, description: 'Gender. Null when unknown.' })
  gender!: GenderMember | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Age in whole years today (UTC). Null when the day of birth is unknown.',
  })
  age!: number | null;

  @Field(() => [String], { description: 'Names of skills, for example ["Negotiation"].' })
  skills!: string[];

  @Field(() => [ID], { description: 'Ids of the categories that the person belongs to.' })
  categoryIds!: string[];

  @Field(() => PersonCountry, { nullable: true, description: 'Country. Null when unknown.' })
  country!: { id: string; name: string | null } | null;

  @Field(() => [PersonIdentifier], { description: 'Identifiers elsewhere.' })
  identifiers!: PersonIdentifier[];

  @Field(() => PersonSalary, { description: 'Salary; its amounts are null when unknown.' })
  salary!: PersonSalary;
}

export const PersonConnection = connectionOf(Person, 'Person', 'persons');

@ArgsType()
export class PersonsArgs {
  @Field(() => InputPersonsSearchFilters, {
    nullable: true,
    description: 'Filters on persons. Must be passed as the variable $searchFilters.',
  })
  searchFilters?: object | null;

  @Field(() => String, {
    nullable: true,
    description: '`pageInfo.endCursor` of the previous page; the first page without it.',
  })
  after?: string | null;
}
