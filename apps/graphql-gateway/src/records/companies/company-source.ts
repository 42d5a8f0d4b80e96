// Companies from the table to the wire.
import { plain, lookup, type RecordField, type RecordSource } from '../../connections/record-source.js';
import type { Company } from './company.types.js';

const fields: Record<keyof Company, RecordField> = {
  id: plain('id'),
  name: plain('name'),
  imageUrl: plain('image_url'),
  websiteUrl: plain('website_url'),
  description: plain('description'),
  headquarters: plain('headquarters'),
  ticker: plain('ticker'),
  exchange: plain('exchange'),
  foundedYear: plain('founded_year'),
  lastFundingDate: plain('last_funding_date'),
  isPublic: plain('is_public'),
  hasSubsidiary: plain('has_subsidiary'),
  parentCompanyId: plain('parent_company_id'),
  numberOfEmployees: {
    columns: ['number_of_employees'],
    read: (row, at) => (row[at[0]!] === null ? null : Number(row[at[0]!])),
  },
  industry: lookup('industry_id', ({ industries }) => industries),
  sector: lookup('sector_id', ({ sectors }) => sectors),
  country: lookup('country_id', ({ countries }) => countries),
  revenue: plain('revenue'),
  marketCap: plain('market_cap'),
  marketingBudget: plain('marketing_budget'),
  fundingRaised: plain('funding_raised'),
};

export const companySource: RecordSource = { table: 'company', fields };
