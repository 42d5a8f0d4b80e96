// Deals from the table to the wire.
import { plain, list, listOf, pairs, type RecordField, type RecordSource } from '../../connections/record-source.js';
import type { Deal } from './deal.types.js';

const fields: Record<keyof Deal, RecordField> = {
  id: plain('id'),
  title: plain('title'),
  description: plain('description'),
  type: plain('type'),
  sponsorType: plain('sponsor_type'),
  announcedDate: plain('announced_date'),
  announcedDateSource: plain('announced_date_source'),
  startDate: plain('start_date'),
  startDateSource: plain('start_date_source'),
  endDate: plain('end_date'),
  isEstimate: plain('is_estimate'),
  isExclusive: plain('is_exclusive'),
  renewalOption: plain('renewal_option'),
  totalDigitalImpressions: plain('total_digital_impressions'),
  annualValue: plain('annual_value'),
  totalValue: plain('total_value'),
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
    read: (row, at, { lookups }) => listOf(row[at[0]!]).map((id) => lookups.sports.get(id!) ?? { id, name: null }),
  },
};

export const dealSource: RecordSource = { table: 'deal', fields };
