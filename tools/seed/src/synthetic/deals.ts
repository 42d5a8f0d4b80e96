import { dealRenewalOptions, dealTypes, moneyAmount } from '@tradewind/filters';
import type { RowOf } from '../data-tables.js';
import { sortedIds } from '../locations.js';
import { moneyOf } from './companies.js';
import { type CompanyFacts, type Directory, type PersonFacts, streams } from './links.js';
import { Random } from './random.js';
import * as vocabulary from './vocabulary.js';

const types = Object.keys(dealTypes);
const renewals = Object.keys(dealRenewalOptions);
const sportIds = vocabulary.sports.map((_, index) => index + 1);

export interface Links {
  companies: Directory<CompanyFacts>;
  persons: Directory<PersonFacts>;
}

/** The deal at a place: a company buys rights from another company, or sponsors a person. */
export function syntheticDeal(seed: number, place: number, firstId: number, links: Links): RowOf<'deal'> {
  const random = new Random(seed, streams.deal, place);
  const { companies, persons } = links;
  const buyers = choose(random, companies, random.chance(0.05) ? 2 : 1);
  const sponsored = persons.count > 0 && random.chance(0.2) ? choose(random, persons, 1) : [];
  const sellers = choose(random, companies, sponsored.length > 0 && random.chance(0.7) ? 0 : 1).filter(
    (seller) => !buyers.some((buyer) => buyer.id === seller.id),
  );
  const sports = sortedIds(random.sample(sportIds, random.chance(0.9) ? 1 : 2));
  const asset = random.pick(vocabulary.dealAssets);
  const start = random.chance(0.95) ? random.date('2012-01-01', '2027-12-31') : null;
  const days = random.pick([365, 730, 1095, 1460, 1825, random.between(30, 3650)]);
  const end = start !== null && random.chance(0.9) ? plusDays(start, days) : null;
  const annual = random.chance(0.75) ? moneyOf(random.logBetween(10_000, 80_000_000), 'US') : null;
  const total = annual && end ? moneyOf((moneyAmount(annual) * days) / 365, 'US') : null;
  return {
    id: firstId + place,
    title: `${[buyers[0]?.name, sponsored[0]?.name ?? sellers[0]?.name].filter(Boolean).join(' – ')}: ${asset}`,
    description: random.chance(0.6) ? `${asset} in ${vocabulary.sports[sports[0]! - 1]!.toLowerCase()}.` : null,
    type: random.pick(types),
    sponsor_type: random.chance(0.6) ? random.pick(vocabulary.sponsorTypes) : null,
    announced_date: random.chance(0.85)
      ? start === null
        ? random.date('2012-01-01', '2026-10-31')
        : plusDays(start, -random.between(0, 120))
      : null,
    announced_date_source: random.chance(0.3) ? 'Press release' : null,
    start_date: start,
    start_date_source: start !== null && random.chance(0.3) ? 'Press release' : null,
    end_date: end,
    is_estimate: random.chance(0.95) ? random.chance(0.4) : null,
    is_exclusive: random.chance(0.9) ? random.chance(0.3) : null,
    renewal_option: random.chance(0.5) ? random.pick(renewals) : null,
    total_digital_impressions: random.chance(0.3) ? Math.round(random.logBetween(10_000, 5_000_000_000)) : null,
    annual_value: annual,
    total_value: total,
    annual_value_amount: annual ? moneyAmount(annual) : null,
    total_value_amount: total ? moneyAmount(total) : null,
    seller_person_ids: sponsored.map((person) => person.id),
    sponsored_person_ids: sponsored.map((person) => person.id),
    sponsored_person_names: sponsored.map((person) => person.name),
    sport_ids: sports,
    buyer_company_ids: buyers.map((company) => company.id),
    buyer_company_names: buyers.map((company) => company.name),
    buyer_category_ids: sortedIds(...buyers.map((company) => company.categoryIds)),
    buyer_region_ids: sortedIds(...buyers.map((company) => company.regionIds)),
    buyer_parent_company_ids: parents(buyers),
    buyer_industry_ids: industriesOf(buyers),
    buyer_revenue_amount: largestRevenue(buyers),
    seller_company_ids: sellers.map((company) => company.id),
    seller_company_names: sellers.map((company) => company.name),
    seller_category_ids: sortedIds(...sellers.map((company) => company.categoryIds)),
    seller_region_ids: sortedIds(...sellers.map((company) => company.regionIds)),
    seller_parent_company_ids: parents(sellers),
    seller_industry_ids: industriesOf(sellers),
  };
}

function choose<T extends { id: number }>(random: Random, directory: Directory<T>, count: number): T[] {
  if (directory.count === 0) return [];
  const chosen = new Map<number, T>();
  for (let index = 0; index < count; index++) {
    const entry = directory.at(Math.floor(random.next() * directory.count));
    chosen.set(entry.id, entry);
  }
  return [...chosen.values()];
}

function parents(companies: readonly CompanyFacts[]): number[] {
  return sortedIds(companies.flatMap(({ parentCompanyId }) => (parentCompanyId === null ? [] : [parentCompanyId])));
}

function industriesOf(companies: readonly CompanyFacts[]): number[] {
  return sortedIds(companies.flatMap(({ industryId }) => (industryId === null ? [] : [industryId])));
}

function largestRevenue(companies: readonly CompanyFacts[]): number | null {
  const revenues = companies.flatMap(({ revenueAmount }) => (revenueAmount === null ? [] : [revenueAmount]));
  return revenues.length === 0 ? null : Math.max(...revenues);
}

function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
