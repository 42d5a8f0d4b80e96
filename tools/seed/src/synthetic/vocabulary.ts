// The words that synthetic data is made of. Lists in the file are only ever appended to: a look-up row's id is its
// place.
import { readFileSync } from 'node:fs';

interface Vocabulary {
  /** The first is id 10000. The earlier a city comes, the more often it is used. */
  cities: [name: string, alpha2: string][];
  sports: string[];
  categories: string[];
  languages: string[];
  skills: string[];
  firstNames: Record<'MALE' | 'FEMALE', string[]>;
  lastNames: string[];
  roles: string[];
  companyRoots: string[];
  companyMiddles: string[];
  /** By ISO alpha-2 code of the country. */
  legalForms: Partial<Record<string, string>>;
  /** By ISO alpha-2 code of the country. */
  currencies: Partial<Record<string, [code: string, perDollar: number]>>;
  dealAssets: string[];
  sponsorTypes: string[];
  exchanges: string[];
}

export const vocabulary = JSON.parse(
  readFileSync(new URL('../../data/vocabulary.json', import.meta.url), 'utf8'),
) as Vocabulary;
