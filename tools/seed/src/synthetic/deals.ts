import { dealRenewalOptions, dealTypes, moneyAmount } from '@tradewind/filters';
import { sortedIds } from '../locations.js';
import { moneyOf } from './companies.js';
import { streams } from './ids.js';
import type { Directory, LinkedCompany, Links } from './links.js';
import { Random } from './random.js';
import { vocabulary } from './vocabulary.js';

const types = Object.keys(dealTypes);
const renewals = Object.keys(dealRenewalOptions);
/** Nothing is announced later. The deals themselves may start in the years after it. */
const lastAnnounced = '2026-10-31';
const sportIds = vocabulary.sports.map((_, index) => index + 1);

/** The deal at a place: a company buys rights from another company, or sponsors a person. */
export function syntheticDeal(seed: number, place: number, firstId: number, links: Links) {
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
        ? random.date('2012-01-01', lastAnnounced)
        : plusDays(start < lastAnnounced ? start : lastAnnounced, -random.between(0, 120))
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
    seller_person_ids: sponsored.map(({ id }) => id),
    sponsored_person_ids: sponsored.map(({ id }) => id),
    sponsored_person_names: sponsored.map(({ name }) => name),
    sport_ids: sports,
    ...copies('buyer', buyers),
    buyer_revenue_amount: largest(buyers.map((buyer) => buyer.revenue_amount)),
    ...copies('seller', sellers),
  };
}

/** What a deal copies from the companies of one side. */
function copies(side: 'buyer' | 'seller', companies: readonly LinkedCompany[]) {
  const columns = {
    company_ids: companies.map(({ id }) => id),
    company_names: companies.map(({ name }) => name),
    category_ids: sortedIds(...companies.map((company) => company.category_ids)),
    region_ids: sortedIds(...companies.map((company) => company.region_ids)),
    parent_company_ids: sortedIds(present(companies.map((company) => company.parent_company_id))),
    industry_ids: sortedIds(present(companies.map((company) => company.industry_id))),
  };
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [`${side}_${name}`, value]));
}

function choose<T extends { id: number }>(random: Random, directory: Directory<T>, count: number): T[] {
  const chosen = new Map<number, T>();
  for (let index = 0; index < count; index++) {
    const entry = random.entry(directory);
    if (entry) chosen.set(entry.id, entry);
  }
  return [...chosen.values()];
}

function present(numbers: readonly (number | null)[]): number[] {
  return numbers.filter((number) => number !== null);
}

function largest(numbers: readonly (number | null)[]): number | null {
  return present(numbers).reduce<number | null>((most, number) => Math.max(most ?? number, number), null);
}

function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
