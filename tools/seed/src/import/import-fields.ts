// The fields of an import file, one table per entity: the name in the file, what a cell holds, and where it goes.
// `npm run gen` writes the same into README.md, for people.
import { dealRenewalOptions, dealTypes, educationLevels, genders } from '@tradewind/filters';
import type { Entity } from '../data-tables.js';
import type { NamedTable } from '../look-ups.js';

export type ImportKind =
  | { kind: 'id' | 'text' | 'integer' | 'date' | 'timestamp' | 'boolean' | 'uuid' | 'ids' | 'texts' | 'identifiers' }
  | { kind: 'member'; members: readonly string[] }
  /** `amountColumn` takes the whole units of the currency. */
  | { kind: 'money'; amountColumn?: string }
  | { kind: 'industry' | 'country' | 'regions' | 'headquarters' | 'places' }
  /** Names or ids of look-up rows; `isOpen`: an unknown name becomes a new row. */
  | { kind: 'named'; table: NamedTable; isOpen: boolean };

export interface ImportField {
  name: string;
  column: string;
  value: ImportKind;
}

const text = { kind: 'text' } as const;
const integer = { kind: 'integer' } as const;
const boolean = { kind: 'boolean' } as const;
const date = { kind: 'date' } as const;
const ids = { kind: 'ids' } as const;
const member = (of: Record<string, unknown> | readonly string[]): ImportKind => ({
  kind: 'member',
  members: Array.isArray(of) ? (of as string[]) : Object.keys(of),
});
const named = (table: NamedTable, isOpen: boolean): ImportKind => ({ kind: 'named', table, isOpen });

type Row = [name: string, column: string, value: ImportKind];

const rows: Record<Entity, Row[]> = {
  company: [
    ['id', 'id', { kind: 'id' }],
    ['name', 'name', text],
    ['imageUrl', 'image_url', text],
    ['websiteUrl', 'website_url', text],
    ['description', 'description', text],
    ['headquarters', 'headquarters', { kind: 'headquarters' }],
    ['country', 'country_id', { kind: 'country' }],
    ['locations', 'location_ids', { kind: 'places' }],
    ['topMarkets', 'top_market_region_ids', { kind: 'regions' }],
    ['officeLocations', 'office_region_ids', { kind: 'regions' }],
    ['industry', 'industry_id', { kind: 'industry' }],
    ['ticker', 'ticker', text],
    ['exchange', 'exchange', text],
    ['foundedYear', 'founded_year', integer],
    ['lastFundingDate', 'last_funding_date', date],
    ['isPublic', 'is_public', boolean],
    ['hasSubsidiary', 'has_subsidiary', boolean],
    ['parentCompanyId', 'parent_company_id', integer],
    ['numberOfEmployees', 'number_of_employees', integer],
    ['categories', 'category_ids', named('category', true)],
    ['revenue', 'revenue', { kind: 'money', amountColumn: 'revenue_amount' }],
    ['marketCap', 'market_cap', { kind: 'money' }],
    ['marketingBudget', 'marketing_budget', { kind: 'money' }],
    ['fundingRaised', 'funding_raised', { kind: 'money' }],
  ],
  person: [
    ['id', 'id', { kind: 'id' }],
    ['name', 'name', text],
    ['firstName', 'first_name', text],
    ['lastName', 'last_name', text],
    ['role', 'role', text],
    ['gender', 'gender', member(genders)],
    ['birthDate', 'birth_date', date],
    ['country', 'country_id', { kind: 'country' }],
    ['locations', 'location_ids', { kind: 'places' }],
    ['skills', 'skill_ids', named('skill', true)],
    ['categories', 'category_ids', named('category', true)],
    ['languages', 'language_ids', named('language', false)],
    ['educationLevel', 'education_level', member(educationLevels)],
    ['identifiers', 'identifiers', { kind: 'identifiers' }],
    ['grossSalary', 'gross_salary', { kind: 'money', amountColumn: 'gross_salary_amount' }],
    ['grossSalaryLowerRange', 'gross_salary_lower_range', { kind: 'money' }],
    ['grossSalaryUpperRange', 'gross_salary_upper_range', { kind: 'money' }],
    ['netSalary', 'net_salary', { kind: 'money', amountColumn: 'net_salary_amount' }],
  ],
  deal: [
    ['id', 'id', { kind: 'id' }],
    ['title', 'title', text],
    ['description', 'description', text],
    ['type', 'type', member(dealTypes)],
    ['sponsorType', 'sponsor_type', text],
    ['announcedDate', 'announced_date', date],
    ['announcedDateSource', 'announced_date_source', text],
    ['startDate', 'start_date', date],
    ['startDateSource', 'start_date_source', text],
    ['endDate', 'end_date', date],
    ['isEstimate', 'is_estimate', boolean],
    ['isExclusive', 'is_exclusive', boolean],
    ['renewalOption', 'renewal_option', member(dealRenewalOptions)],
    ['totalDigitalImpressions', 'total_digital_impressions', integer],
    ['annualValue', 'annual_value', { kind: 'money', amountColumn: 'annual_value_amount' }],
    ['totalValue', 'total_value', { kind: 'money', amountColumn: 'total_value_amount' }],
    ['buyerCompanyIds', 'buyer_company_ids', ids],
    ['sellerCompanyIds', 'seller_company_ids', ids],
    ['sellerPersonIds', 'seller_person_ids', ids],
    ['sponsoredPersonIds', 'sponsored_person_ids', ids],
    ['sports', 'sport_ids', named('sport', true)],
  ],
  contact: [
    ['id', 'id', { kind: 'id' }],
    ['name', 'name', text],
    ['firstName', 'first_name', text],
    ['lastName', 'last_name', text],
    ['email', 'email', text],
    ['emails', 'emails', { kind: 'texts' }],
    ['companyId', 'company_id', integer],
    ['personId', 'person_id', integer],
    ['ownerId', 'owner_id', { kind: 'uuid' }],
    ['isShared', 'is_shared', boolean],
    ['userId', 'user_id', integer],
    ['opportunityIds', 'opportunity_ids', ids],
    ['collectionIds', 'collection_ids', ids],
    ['importId', 'import_id', integer],
    ['matchingStatus', 'matching_status', member(['MATCHED', 'UNMATCHED', 'PENDING'])],
    ['syncSourceType', 'sync_source_type', member(['CRM', 'EMAIL', 'CALENDAR', 'IMPORT'])],
    ['syncSourceName', 'sync_source_name', member(['CSV', 'SALESFORCE', 'HUBSPOT', 'GOOGLE', 'OUTLOOK'])],
    ['hasSyncIssues', 'has_sync_issues', boolean],
    ['isContact', 'is_contact', boolean],
    ['isCrm', 'is_crm', boolean],
    ['isDeleted', 'is_deleted', boolean],
    ['isBlacklisted', 'is_blacklisted', boolean],
    ['createdAt', 'created_at', { kind: 'timestamp' }],
    ['updatedAt', 'updated_at', { kind: 'timestamp' }],
  ],
};

export const importFields: Readonly<Record<Entity, readonly ImportField[]>> = {
  company: rows.company.map(toField),
  person: rows.person.map(toField),
  deal: rows.deal.map(toField),
  contact: rows.contact.map(toField),
};

function toField([name, column, value]: Row): ImportField {
  return { name, column, value };
}

/** The seven fields of Money; in CSV each is a column of its own, `revenue.value` and so on. */
export const moneyFields = [
  'value',
  'currency',
  'multiplier',
  'isVerified',
  'localCurrency',
  'localCurrencyValue',
  'localCurrencyValueMultiplier',
] as const;

/** Columns that a new row may not leave empty, with the value it gets when the file has none; null: it is refused. */
export const requiredColumns: Readonly<Record<Entity, Readonly<Record<string, null | string>>>> = {
  company: { name: null },
  person: { name: null },
  deal: { title: null },
  contact: {
    name: null,
    is_shared: 'true',
    has_sync_issues: 'false',
    is_contact: 'true',
    is_crm: 'false',
    is_deleted: 'false',
    is_blacklisted: 'false',
    created_at: 'now()',
    updated_at: 'now()',
  },
};
