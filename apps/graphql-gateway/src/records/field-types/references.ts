// Small records that others point to.
import { Field, ID, ObjectType } from '@nestjs/graphql';

/** Makes an object type of id and name. */
function namedReference(typeName: string, description: string) {
  @ObjectType(typeName, { description })
  class NamedReference {
    @Field(() => ID, { description: 'Id; filters take it as a string or a number.' })
    id!: string;

    @Field(() => String, { nullable: true, description: 'Display name; null when only the id is known.' })
    name!: string | null;
  }
  return NamedReference;
}

export const IndustryReference = namedReference('CompanyIndustry', 'Industry of a company.');
export const SectorReference = namedReference('CompanySector', 'Sector that an industry belongs to.');
export const PersonCountry = namedReference('PersonCountry', 'Country of a person.');
export const CompanyReference = namedReference('CompanyReference', 'A company by id and name.');
export const PersonReference = namedReference('PersonReference', 'A person by id and name.');
export const SportReference = namedReference('Sport', 'A sport that a deal is about.');

@ObjectType({ description: 'Country of the head office of a company.' })
export class CompanyCountry {
  @Field(() => ID, { description: 'Id; filters take it as a string or a number.' })
  id!: string;

  @Field(() => String, { description: 'English name, for example "Switzerland".' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Address of an image of the flag.' })
  imageUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'One-letter code, where the country has one.' })
  alpha1Code!: string | null;

  @Field(() => String, { description: 'ISO 3166-1 alpha-2 code, for example "CH".' })
  alpha2Code!: string;

  @Field(() => String, { description: 'ISO 3166-1 alpha-3 code, for example "CHE".' })
  alpha3Code!: string;
}
