// Companies from the table to the wire.
import {
  flag,
  json,
  lookup,
  number,
  text,
  type RecordField,
  type RecordSource,
} from '../../connections/record-source.js';
import type { Company } from './company.types.js';

const fields: Record<keyof Company, RecordField> = {
  id: text('id'),
  name: text('name'),
  imageUrl: text('image_url'),
  websiteUrl: text('website_url'),
  description: text('description'),
  headquarters: text('headquarters'),
  ticker: text('ticker'),
  exchange: text('exchange'),
  foundedYear: number('founded_year'),
  lastFundingDate: text('last_funding_date'),
  isPublic: flag('is_public'),
  hasSubsidiary: flag('has_subsidiary'),
  parentCompanyId: text('parent_company_id'),
  numberOfEmployees: number('number_of_employees'),
  industry: lookup('industry_id', ({ industries }) => industries),
  sector: lookup('sector_id', ({ sectors }) => sectors),
  country: lookup('country_id', ({ countries }) => countries),
  revenue: json('revenue'),
  marketCap: json('market_cap'),
  marketingBudget: json('marketing_budget'),
  fundingRaised: json('funding_raised'),
};

export const companySource: RecordSource = { table: 'company', fields };
