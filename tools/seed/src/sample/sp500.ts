// The 503 constituents of the S&P 500 as import records. Names, tickers, industries, head offices, founding years and
// index dates are real. The file has no figures. Markets, headcounts and amounts of money are sample values, marked as
// not verified and named as such in the description (docs/decisions/0040).
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { companyFigures } from '../synthetic/companies.js';
import { Random } from '../synthetic/random.js';

/** Its own stream, apart from those of synthetic rows. */
const sampleStream = 503;

const marketsBeyondHome = [
  'Europe',
  'APAC',
  'Latin America',
  'Western Europe',
  'Nordics',
  'MENA',
  'DACH',
  'Southeast Asia',
  'ANZ',
];

const dataFile = (name: string) =>
  parse<Record<string, string>>(readFileSync(new URL(`../../data/${name}`, import.meta.url)), { columns: true });

/** One record per constituent, ids from 1 in the order of the file. */
export function sp500Records(): Record<string, unknown>[] {
  const industries = new Map(dataFile('gics-industries.csv').map((row) => [row['subIndustry']!, row['industry']!]));
  return dataFile('sp500-constituents.csv').map((row, index) => {
    const place = headOffice(row['Headquarters Location']!);
    const random = new Random(1, sampleStream, index);
    const employees = Math.round(random.logBetween(2_000, 400_000));
    const figures = companyFigures(random, place.country, employees, true);
    return {
      id: index + 1,
      name: row['Security'],
      ticker: row['Symbol'],
      description:
        `${row['GICS Sub-Industry']} (${row['GICS Sector']}). In the S&P 500 since ${row['Date added']}, CIK ${row['CIK']}. ` +
        'Employees, markets and amounts of money are sample values.',
      industry: industries.get(row['GICS Sub-Industry']!),
      country: place.country,
      headquarters: place.text,
      officeLocations: [place.country === 'US' || place.country === 'CA' ? 'US & Canada' : 'Western Europe'],
      topMarkets: ['North America', ...random.sample(marketsBeyondHome, random.between(0, 2))],
      foundedYear: /\d{4}/.exec(row['Founded']!)?.[0] ?? null,
      isPublic: true,
      numberOfEmployees: employees,
      revenue: figures.revenue,
      marketCap: figures.market_cap,
      marketingBudget: figures.marketing_budget,
    };
  });
}

const countriesAbroad: Readonly<Record<string, string>> = {
  Ireland: 'IE',
  'United Kingdom': 'GB',
  Switzerland: 'CH',
  Bermuda: 'BM',
  Netherlands: 'NL',
  Canada: 'CA',
};

/** `West Falls Church, Virginia[2]` without its footnote; `none` is no place. Places without a country are American. */
function headOffice(source: string): { text: string | null; country: string } {
  const text = source.replace(/\[\d+\]/g, '').trim();
  if (text === 'none') return { text: null, country: 'US' };
  return { text, country: countriesAbroad[text.slice(text.lastIndexOf(',') + 1).trim()] ?? 'US' };
}
