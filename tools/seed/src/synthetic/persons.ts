import { educationLevels, moneyAmount } from '@tradewind/filters';
import { countryClosure, regionsOfCountry, sortedIds } from '../locations.js';
import { syntheticCities } from '../look-ups.js';
import { categoryIds, moneyOf } from './companies.js';
import { streams } from './ids.js';
import { Random } from './random.js';
import { vocabulary } from './vocabulary.js';

const levels = Object.keys(educationLevels);
const skillIds = vocabulary.skills.map((_, index) => index + 1);
const languageIds = vocabulary.languages.map((_, index) => index + 1);

/** The person at a place, with the given first id. */
export function syntheticPerson(seed: number, place: number, firstId: number) {
  const random = new Random(seed, streams.person, place);
  const city = random.pickSkewed(syntheticCities);
  const gender = random.chance(0.49) ? 'FEMALE' : random.chance(0.97) ? 'MALE' : 'OTHER';
  const firstName = random.pick(
    vocabulary.firstNames[gender === 'OTHER' ? random.pick(['MALE', 'FEMALE'] as const) : gender],
  );
  const lastName = random.pick(vocabulary.lastNames);
  const handle = `${asciiHandle(`${firstName}-${lastName}`)}-${place + 1}`;
  // Dollars per year; skewed towards the lower end as salaries are.
  const salary = random.logBetween(25_000, 600_000);
  const gross = random.chance(0.7) ? moneyOf(salary, city.alpha2) : null;
  const net = gross && random.chance(0.6) ? moneyOf(salary * (0.55 + random.next() * 0.2), city.alpha2) : null;
  return {
    id: firstId + place,
    first_name: firstName,
    last_name: lastName,
    name: `${firstName} ${lastName}`,
    role: random.chance(0.95) ? random.pick(vocabulary.roles) : null,
    gender: random.chance(0.95) ? gender : null,
    birth_date: random.chance(0.85) ? random.date('1950-01-01', '2004-12-31') : null,
    country_id: city.countryId,
    region_ids: sortedIds(regionsOfCountry(city.countryId)),
    location_ids: sortedIds([city.id], countryClosure(city.countryId)),
    skill_ids: sortedIds(random.sample(skillIds, random.between(0, 8))),
    category_ids: random.chance(0.3) ? sortedIds(random.sample(categoryIds, random.between(1, 2))) : [],
    language_ids: sortedIds(random.sample(languageIds, random.between(1, 3))),
    education_level: random.chance(0.8) ? random.pick(levels) : null,
    identifiers: [
      { name: 'NETWORK', value: handle },
      ...(random.chance(0.2) ? [{ name: 'WEBSITE', value: `https://${handle}.example` }] : []),
    ],
    gross_salary: gross,
    gross_salary_lower_range: gross ? moneyOf(salary * 0.9, city.alpha2) : null,
    gross_salary_upper_range: gross ? moneyOf(salary * 1.15, city.alpha2) : null,
    net_salary: net,
    gross_salary_amount: gross ? moneyAmount(gross) : null,
    net_salary_amount: net ? moneyAmount(net) : null,
  };
}

/** Lower-case ASCII letters, digits and hyphens: how handles look in profile addresses. */
export function asciiHandle(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll('ø', 'o')
    .replace(/[^a-z0-9-]+/g, (run) => (/\s/.test(run) ? '-' : ''));
}
