// Companies from the table to the wire.
import type { RecordSource } from '../connections/prepared-connection.js';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import type { Company } from './company.types.js';
import type { Money } from '../connections/money.js';

export interface CompanyRow extends Record<string, unknown> {
  id: string;
  name: string;
  image_url: string | null;
  website_url: string | null;
  description: string | null;
  headquarters: string | null;
  ticker: string | null;
  exchange: string | null;
  founded_year: number | null;
  last_funding_date: string | null;
  is_public: boolean | null;
  has_subsidiary: boolean | null;
  parent_company_id: string | null;
  number_of_employees: string | null;
  industry_id: string | null;
  sector_id: string | null;
  country_id: string | null;
  revenue: Money | null;
  market_cap: Money | null;
  marketing_budget: Money | null;
  funding_raised: Money | null;
}

const columns: Record<keyof Company, readonly (keyof CompanyRow & string)[]> = {
  id: ['id'],
  name: ['name'],
  imageUrl: ['image_url'],
  websiteUrl: ['website_url'],
  description: ['description'],
  headquarters: ['headquarters'],
  ticker: ['ticker'],
  exchange: ['exchange'],
  foundedYear: ['founded_year'],
  lastFundingDate: ['last_funding_date'],
  isPublic: ['is_public'],
  hasSubsidiary: ['has_subsidiary'],
  parentCompanyId: ['parent_company_id'],
  numberOfEmployees: ['number_of_employees'],
  industry: ['industry_id'],
  sector: ['sector_id'],
  country: ['country_id'],
  revenue: ['revenue'],
  marketCap: ['market_cap'],
  marketingBudget: ['marketing_budget'],
  fundingRaised: ['funding_raised'],
};

/** Columns that were not selected are undefined, and so are their fields, which nobody asked for. */
export function companySource(lookups: Lookups): RecordSource<CompanyRow, Company> {
  return {
    table: 'company',
    columns,
    toNode: (row) => ({
      id: row.id,
      name: row.name,
      imageUrl: row.image_url,
      websiteUrl: row.website_url,
      description: row.description,
      headquarters: row.headquarters,
      ticker: row.ticker,
      exchange: row.exchange,
      foundedYear: row.founded_year,
      lastFundingDate: row.last_funding_date,
      isPublic: row.is_public,
      hasSubsidiary: row.has_subsidiary,
      parentCompanyId: row.parent_company_id,
      numberOfEmployees: row.number_of_employees === null ? null : Number(row.number_of_employees),
      industry: lookups.industries.get(row.industry_id!) ?? null,
      sector: lookups.sectors.get(row.sector_id!) ?? null,
      country: lookups.countries.get(row.country_id!) ?? null,
      revenue: row.revenue,
      marketCap: row.market_cap,
      marketingBudget: row.marketing_budget,
      fundingRaised: row.funding_raised,
    }),
  };
}
