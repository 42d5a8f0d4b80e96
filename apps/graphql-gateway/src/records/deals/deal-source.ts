// Deals from the table to the wire.
import {
  flag,
  json,
  list,
  listOf,
  pairs,
  text,
  type RecordField,
  type RecordSource,
} from '../../connections/record-source.js';
import type { Deal } from './deal.types.js';

const fields: Record<keyof Deal, RecordField> = {
  id: text('id'),
  title: text('title'),
  description: text('description'),
  type: text('type'),
  sponsorType: text('sponsor_type'),
  announcedDate: text('announced_date'),
  announcedDateSource: text('announced_date_source'),
  startDate: text('start_date'),
  startDateSource: text('start_date_source'),
  endDate: text('end_date'),
  isEstimate: flag('is_estimate'),
  isExclusive: flag('is_exclusive'),
  renewalOption: text('renewal_option'),
  totalDigitalImpressions: text('total_digital_impressions'),
  annualValue: json('annual_value'),
  totalValue: json('total_value'),
  buyerCompanies: pairs('buyer_company_ids', 'buyer_company_names'),
  buyerCompanyIds: list('buyer_company_ids'),
  buyerCompanyNames: list('buyer_company_names'),
  sellerCompanies: pairs('seller_company_ids', 'seller_company_names'),
  sellerCompanyIds: list('seller_company_ids'),
  sellerCompanyNames: list('seller_company_names'),
  sellerPersonIds: list('seller_person_ids'),
  sponsoredPersons: pairs('sponsored_person_ids', 'sponsored_person_names'),
  sports: {
    columns: ['sport_ids'],
    read: (cell, { lookups }) => listOf(cell).map((id) => lookups.sports.get(id!) ?? { id, name: null }),
  },
};

export const dealSource: RecordSource = { table: 'deal', fields };
