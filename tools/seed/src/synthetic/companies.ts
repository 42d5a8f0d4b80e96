// Synthetic companies: fictional names, figures that fit together (revenue follows from the number of employees).
import {
  countries,
  industries,
  moneyAmount,
  type MoneyMultiplier,
  moneyMultipliers,
  regions,
} from '@tradewind/filters';
import { countryClosure, regionClosure, regionsOfCountry, sortedIds } from '../locations.js';
import { syntheticCities } from '../look-ups.js';
import type { Money } from '../money.js';
import { streams, syntheticIdBase } from './ids.js';
import { Random } from './random.js';
import { vocabulary } from './vocabulary.js';

const countryNames = new Map(countries.map(({ id, name }) => [id, name]));

/** Industries in an order of their own, so that the frequent ones are spread over the sectors (Zipf). */
const industriesByFrequency = [...industries].sort((a, b) => ((a.id * 167) % 419) - ((b.id * 167) % 419));

/** The company at a place; the same for the same seed, whatever the number of companies around it. */
export function syntheticCompany(seed: number, place: number) {
  const random = new Random(seed, streams.company, place);
  const id = syntheticIdBase + 1 + place;
  const city = random.pickSkewed(syntheticCities);
  const industry = random.pickSkewed(industriesByFrequency);
  const root = random.pick(vocabulary.companyRoots) + random.pick(vocabulary.companyMiddles);
  const name = `${root} ${industry.name.split(/[ ,]/)[0]!} ${vocabulary.legalForms[city.alpha2] ?? 'Ltd.'}`;
  const website = `${root.toLowerCase()}-${id - syntheticIdBase}.example`;
  const isPublic = random.chance(0.12);
  const employees = Math.round(random.logBetween(3, isPublic ? 300_000 : 20_000));
  const figures = companyFigures(random, city.alpha2, employees, isPublic);
  const offices = random.chance(0.4) ? random.sample(syntheticCities, random.between(1, 4)) : [];
  const headquarters = city.name.includes(',') ? city.name : `${city.name}, ${countryNames.get(city.countryId)}`;
  const ownRegions = regionsOfCountry(city.countryId);
  const markets = random.chance(0.85)
    ? [random.pick(ownRegions), ...random.sample(regions, random.between(0, 2)).map((region) => region.id)]
    : [];
  return {
    id,
    name,
    image_url: `https://${website}/logo.png`,
    website_url: `https://${website}`,
    description: random.chance(0.9)
      ? `${root} works in ${industry.name.toLowerCase()} from ${headquarters}, with about ${employees} people.`
      : null,
    headquarters,
    ticker: isPublic ? tickerOf(root, random) : null,
    exchange: isPublic ? random.pick(vocabulary.exchanges) : null,
    founded_year: random.chance(0.9) ? random.between(1850, 2023) : null,
    last_funding_date: !isPublic && random.chance(0.3) ? random.date('2015-01-01', '2026-06-30') : null,
    is_public: isPublic,
    has_subsidiary: random.chance(0.95) ? random.chance(0.2) : null,
    parent_company_id:
      place > 0 && random.chance(0.05) ? syntheticIdBase + 1 + Math.floor(place * random.next()) : null,
    number_of_employees: random.chance(0.93) ? employees : null,
    industry_id: industry.id,
    sector_id: industry.sectorId,
    country_id: city.countryId,
    region_ids: sortedIds(ownRegions),
    category_ids: random.chance(0.7) ? random.sample(categoryIds, random.between(1, 3)).sort((a, b) => a - b) : [],
    headquarters_location_ids: sortedIds([city.id], countryClosure(city.countryId)),
    location_ids: sortedIds(...[city, ...offices].map((office) => [office.id, ...countryClosure(office.countryId)])),
    top_market_region_ids: sortedIds(...markets.map(regionClosure)),
    office_region_ids: sortedIds(...[city, ...offices].map((office) => regionsOfCountry(office.countryId))),
    ...figures,
  };
}

export const categoryIds = vocabulary.categories.map((_, index) => index + 1);

/** Money of a company of that size. Nothing of it is verified, because all of it is made up. */
export function companyFigures(random: Random, alpha2: string, employees: number, isPublic: boolean) {
  const dollars = employees * random.logBetween(40_000, 600_000);
  const revenue = random.chance(0.85) ? moneyOf(dollars, alpha2) : null;
  return {
    revenue,
    revenue_amount: revenue ? moneyAmount(revenue) : null,
    market_cap: isPublic ? moneyOf(dollars * random.logBetween(0.5, 8), alpha2) : null,
    marketing_budget: random.chance(0.5) ? moneyOf(dollars * random.logBetween(0.01, 0.15), alpha2) : null,
    funding_raised: !isPublic && random.chance(0.3) ? moneyOf(random.logBetween(100_000, 500_000_000), alpha2) : null,
  };
}

/** An amount of US dollars as Money, in the multiplier that reads best, with the local amount beside it. */
export function moneyOf(dollars: number, alpha2: string): Money {
  const [localCurrency, perDollar] = vocabulary.currencies[alpha2] ?? ['EUR', 0.92];
  const own = inMultiplier(dollars);
  const local = inMultiplier(dollars * perDollar);
  return {
    value: own.value,
    currency: 'USD',
    multiplier: own.multiplier,
    isVerified: false,
    localCurrency,
    localCurrencyValue: local.value,
    localCurrencyValueMultiplier: local.multiplier,
  };
}

/** At most two decimals of the multiplier, so that value times multiplier is a whole number. */
function inMultiplier(amount: number): { value: number; multiplier: MoneyMultiplier } {
  const multiplier: MoneyMultiplier =
    amount >= 1e9 ? 'BILLIONS' : amount >= 1e6 ? 'MILLIONS' : amount >= 1e4 ? 'THOUSANDS' : 'UNITS';
  if (multiplier === 'UNITS') return { value: Math.round(amount), multiplier };
  return { value: Math.round((amount / moneyMultipliers[multiplier]) * 100) / 100, multiplier };
}

function tickerOf(root: string, random: Random): string {
  return (
    root
      .toUpperCase()
      .replace(/[AEIOU]/g, '')
      .slice(0, 3) + String.fromCharCode(65 + random.between(0, 25))
  );
}
