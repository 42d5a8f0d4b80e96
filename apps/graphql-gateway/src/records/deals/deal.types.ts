import { ArgsType, Field, ID, ObjectType } from '@nestjs/graphql';
import type { DealRenewalOption, DealType as DealTypeMember } from '@tradewind/filters';
import { connectionOf } from '../../connections/connection.types.js';
import { DealRenewalOptionType, DealType } from '../field-types/enums.js';
import { InputDealSearchFilters } from '../field-types/filter-inputs.js';
import { Money, moneyField } from '../field-types/money.js';
import { CompanyReference, PersonReference, SportReference } from '../field-types/references.js';
import { BigInteger, JSONObject } from '../field-types/scalars.js';

interface Reference {
  id: string;
  name: string | null;
}

const known = (meaning: string) => ({ nullable: true, description: `${meaning} Null when unknown.` });

@ObjectType({ description: 'A deal between buyers and sellers, such as a sponsorship.' })
export class Deal {
  @Field(() => ID, { description: 'Id of the deal.' })
  id!: string;

  @Field(() => String, { description: 'Title of the deal.' })
  title!: string;

  @Field(() => String, known('What the deal is about, in prose.'))
  description!: string | null;

  @Field(() => DealType, known('Kind of the deal.'))
  type!: DealTypeMember | null;

  @Field(() => String, known('Kind of the sponsorship, for example "Main sponsor".'))
  sponsorType!: string | null;

  @Field(() => String, known('Day of the announcement, "YYYY-MM-DD".'))
  announcedDate!: string | null;

  @Field(() => String, known('Where the day of the announcement is known from.'))
  announcedDateSource!: string | null;

  @Field(() => String, known('First day, "YYYY-MM-DD".'))
  startDate!: string | null;

  @Field(() => String, known('Where the first day is known from.'))
  startDateSource!: string | null;

  @Field(() => String, known('Last day, "YYYY-MM-DD".'))
  endDate!: string | null;

  @Field(() => Boolean, known('Whether the values are estimates.'))
  isEstimate!: boolean | null;

  @Field(() => Boolean, known('Whether the buyer is the only one in its industry.'))
  isExclusive!: boolean | null;

  @Field(() => DealRenewalOptionType, known('Place in a row of contracts.'))
  renewalOption!: DealRenewalOption | null;

  @Field(() => BigInteger, known('Digital impressions over the whole deal.'))
  totalDigitalImpressions!: string | null;

  @Field(() => Money, moneyField('Value per year.'))
  annualValue!: Money | null;

  @Field(() => Money, moneyField('Value of the whole deal.'))
  totalValue!: Money | null;

  @Field(() => [CompanyReference], { description: 'Companies that buy.' })
  buyerCompanies!: Reference[];

  @Field(() => [ID], { description: 'Ids of the companies that buy.' })
  buyerCompanyIds!: string[];

  @Field(() => [String], { description: 'Names of the companies that buy, in the order of their ids.' })
  buyerCompanyNames!: string[];

  @Field(() => [CompanyReference], { description: 'Companies that sell.' })
  sellerCompanies!: Reference[];

  @Field(() => [ID], { description: 'Ids of the companies that sell.' })
  sellerCompanyIds!: string[];

  @Field(() => [String], { description: 'Names of the companies that sell, in the order of their ids.' })
  sellerCompanyNames!: string[];

  @Field(() => [ID], { description: 'Ids of the persons that sell.' })
  sellerPersonIds!: string[];

  @Field(() => [PersonReference], { description: 'Persons that are sponsored.' })
  sponsoredPersons!: Reference[];

  @Field(() => [SportReference], { description: 'Sports that the deal is about.' })
  sports!: Reference[];
}

export const DealConnection = connectionOf(Deal, 'Deal', 'deals');

@ArgsType()
export class DealsArgs {
  @Field(() => InputDealSearchFilters, {
    nullable: true,
    description: 'Filters on deals. Must be passed as the variable $searchFilters.',
  })
  searchFilters?: object | null;

  @Field(() => [JSONObject], {
    nullable: true,
    description:
      'Order of the deals: objects {"field", "direction"}, the first one weighs most. Fields: announcedDate, startDate, endDate, annualValue, totalValue, title, id. Directions: ASC (default), DESC. Deals without a value come last; ties are ordered by id. Example: [{"field": "announcedDate", "direction": "DESC"}].',
  })
  sorters?: Record<string, unknown>[] | null;

  @Field(() => String, {
    nullable: true,
    description: '`pageInfo.endCursor` of the previous page; the first page without it.',
  })
  after?: string | null;
}
