// Deals from the table to the wire.
import type { DealRenewalOption, DealType } from '@tradewind/filters';
import type { Money } from '../connections/money.js';
import type { RecordSource } from '../connections/prepared-connection.js';
import { pairs } from '../connections/references.js';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import type { Deal } from './deal.types.js';

export interface DealRow extends Record<string, unknown> {
  id: string;
  title: string;
  description: string | null;
  type: DealType | null;
  sponsor_type: string | null;
  announced_date: string | null;
  announced_date_source: string | null;
  start_date: string | null;
  start_date_source: string | null;
  end_date: string | null;
  is_estimate: boolean | null;
  is_exclusive: boolean | null;
  renewal_option: DealRenewalOption | null;
  total_digital_impressions: string | null;
  annual_value: Money | null;
  total_value: Money | null;
  buyer_company_ids: string[] | undefined;
  buyer_company_names: string[] | undefined;
  seller_company_ids: string[] | undefined;
  seller_company_names: string[] | undefined;
  seller_person_ids: string[];
  sponsored_person_ids: string[] | undefined;
  sponsored_person_names: string[] | undefined;
  sport_ids: string[] | undefined;
}

const columns: Record<keyof Deal, readonly (keyof DealRow & string)[]> = {
  id: ['id'],
  title: ['title'],
  description: ['description'],
  type: ['type'],
  sponsorType: ['sponsor_type'],
  announcedDate: ['announced_date'],
  announcedDateSource: ['announced_date_source'],
  startDate: ['start_date'],
  startDateSource: ['start_date_source'],
  endDate: ['end_date'],
  isEstimate: ['is_estimate'],
  isExclusive: ['is_exclusive'],
  renewalOption: ['renewal_option'],
  totalDigitalImpressions: ['total_digital_impressions'],
  annualValue: ['annual_value'],
  totalValue: ['total_value'],
  buyerCompanies: ['buyer_company_ids', 'buyer_company_names'],
  buyerCompanyIds: ['buyer_company_ids'],
  buyerCompanyNames: ['buyer_company_names'],
  sellerCompanies: ['seller_company_ids', 'seller_company_names'],
  sellerCompanyIds: ['seller_company_ids'],
  sellerCompanyNames: ['seller_company_names'],
  sellerPersonIds: ['seller_person_ids'],
  sponsoredPersons: ['sponsored_person_ids', 'sponsored_person_names'],
  sports: ['sport_ids'],
};

/** Columns that were not selected are undefined, and so are their fields, which nobody asked for. */
export function dealSource(lookups: Lookups): RecordSource<DealRow, Deal> {
  return {
    table: 'deal',
    columns,
    toNode: (row) => ({
      id: row.id,
      title: row.title,
      description: row.description,
      type: row.type,
      sponsorType: row.sponsor_type,
      announcedDate: row.announced_date,
      announcedDateSource: row.announced_date_source,
      startDate: row.start_date,
      startDateSource: row.start_date_source,
      endDate: row.end_date,
      isEstimate: row.is_estimate,
      isExclusive: row.is_exclusive,
      renewalOption: row.renewal_option,
      totalDigitalImpressions: row.total_digital_impressions,
      annualValue: row.annual_value,
      totalValue: row.total_value,
      buyerCompanies: pairs(row.buyer_company_ids ?? [], row.buyer_company_names ?? []),
      buyerCompanyIds: row.buyer_company_ids ?? [],
      buyerCompanyNames: row.buyer_company_names ?? [],
      sellerCompanies: pairs(row.seller_company_ids ?? [], row.seller_company_names ?? []),
      sellerCompanyIds: row.seller_company_ids ?? [],
      sellerCompanyNames: row.seller_company_names ?? [],
      sellerPersonIds: row.seller_person_ids,
      sponsoredPersons: pairs(row.sponsored_person_ids ?? [], row.sponsored_person_names ?? []),
      sports: (row.sport_ids ?? []).map((id) => lookups.sports.get(id) ?? { id, name: null }),
    }),
  };
}
