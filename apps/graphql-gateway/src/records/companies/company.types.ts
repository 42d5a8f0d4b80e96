import { ArgsType, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf } from '../../connections/connection.types.js';
import {
  InputCompanySearchFilters,
  InputOfficeLocationFilter,
  InputTopMarketsFilter,
} from '../field-types/filter-inputs.js';
import { Money, moneyField } from '../field-types/money.js';
import { CompanyCountry, IndustryReference, SectorReference } from '../field-types/references.js';

const unknownIsNull = 'Null when unknown.';
const text = (meaning: string) => ({ nullable: true, description: `${meaning} ${unknownIsNull}` });

@ObjectType({ description: 'A company.' })
export class Company {
  @Field(() => ID, { description: 'Id of the company.' })
  id!: string;

  @Field(() => String, { description: 'Name of the company.' })
  name!: string;

  @Field(() => String, text('Address of the logo.'))
  imageUrl!: string | null;

  @Field(() => String, text('Address of the web site.'))
  websiteUrl!: string | null;

  @Field(() => String, text('What the company does, in prose.'))
  description!: string | null;

  @Field(() => String, text('Head office as text, for example "Zurich, Switzerland".'))
  headquarters!: string | null;

  @Field(() => String, text('Ticker symbol of the share, for example "MMM".'))
  ticker!: string | null;

  @Field(() => String, text('Stock exchange of the share, for example "NYSE".'))
  exchange!: string | null;

  @Field(() => Int, text('Year of foundation, for example 1902.'))
  foundedYear!: number | null;

  @Field(() => String, text('Day of the last funding round, "YYYY-MM-DD".'))
  lastFundingDate!: string | null;

  @Field(() => Boolean, text('Whether shares are traded publicly.'))
  isPublic!: boolean | null;

  @Field(() => Boolean, text('Whether the company owns others.'))
  hasSubsidiary!: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Id of the company that owns this one. Null when there is none.' })
  parentCompanyId!: string | null;

  @Field(() => Int, text('Number of employees.'))
  numberOfEmployees!: number | null;

  @Field(() => IndustryReference, text('Industry.'))
  industry!: { id: string; name: string | null } | null;

  @Field(() => SectorReference, text('Sector.'))
  sector!: { id: string; name: string | null } | null;

  @Field(() => CompanyCountry, text('Country of the head office.'))
  country!: CompanyCountry | null;

  @Field(() => Money, moneyField('Revenue per year.'))
  revenue!: Money | null;

  @Field(() => Money, moneyField('Market capitalisation.'))
  marketCap!: Money | null;

  @Field(() => Money, moneyField('Marketing budget per year.'))
  marketingBudget!: Money | null;

  @Field(() => Money, moneyField('Funding raised so far.'))
  fundingRaised!: Money | null;
}

export const CompanyConnection = connectionOf(Company, 'Company', 'companies');

@ArgsType()
export class CompaniesArgs {
  @Field(() => InputCompanySearchFilters, {
    nullable: true,
    description: 'Filters on companies. Must be passed as the variable $searchFilters.',
  })
  searchFilters?: object | null;

  @Field(() => [InputTopMarketsFilter], {
    nullable: true,
    description: 'Regions where the company does business: names or ids. Must be passed as the variable $topMarkets.',
  })
  topMarkets?: object[] | null;

  @Field(() => [InputOfficeLocationFilter], {
    nullable: true,
    description: 'Regions where the company has offices: names or ids. Must be passed as the variable $officeLocation.',
  })
  officeLocation?: object[] | null;

  @Field(() => String, {
    nullable: true,
    description: '`pageInfo.endCursor` of the previous page; the first page without it.',
  })
  after?: string | null;
}
