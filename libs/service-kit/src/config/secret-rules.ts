// Which secrets staging and production take: long, hard to guess, and none that stands in the source. A setting may hold
// several; each is judged, and named by its place, never by its value.
import { createHash } from 'node:crypto';
import type { Setting } from './settings.js';

/** 16 random letters and digits hold 95 bits; nobody guesses them over the network. */
const lengthMin = 16;
/** Fewer are a pattern. 16 random hex digits have 10 on average, and fewer than 7 once in a thousand. */
const differentCharactersMin = 7;
const developmentPrefix = 'dev-only-';

/** The secrets in the text of a setting; an address with credentials is none that anybody could choose. */
function entriesOf({ separator }: Setting<unknown>, raw: string): string[] {
  if (isAddress(raw)) return [];
  return separator === undefined ? [raw] : raw.split(separator).map((entry) => entry.trim());
}

const isAddress = (raw: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(raw);

/** Every development secret of these settings, each entry of a list by itself. */
export function developmentSecrets(settings: Readonly<Record<string, Setting<unknown>>>): ReadonlySet<string> {
  return new Set(
    Object.values(settings)
      .filter(({ secret }) => secret)
      .flatMap(({ devDefault }) => [devDefault].flat())
      .filter((value) => typeof value === 'string'),
  );
}

/** What is wrong with the secrets of a setting outside dev; nothing when they are fit. */
export function secretFaults(setting: Setting<unknown>, raw: string, development: ReadonlySet<string>): string[] {
  const entries = entriesOf(setting, raw);
  return entries.flatMap((entry, index) => {
    const fault = secretFault(entry, development);
    if (fault === undefined) return [];
    return [entries.length === 1 ? fault : `entry ${index + 1} ${fault}`];
  });
}

function secretFault(entry: string, development: ReadonlySet<string>): string | undefined {
  if (entry === '') return 'is empty';
  if (development.has(entry) || entry.startsWith(developmentPrefix)) return 'is the development value, which is public';
  if (entry.length < lengthMin) return `must have at least ${lengthMin} characters`;
  if (new Set(entry).size < differentCharactersMin) {
    return `must have at least ${differentCharactersMin} different characters`;
  }
  return undefined;
}

/** What is wrong with a SHA-256 sum that stands for a secret, in hex: a made-up one, or that of a development secret. */
export function secretSumFault(sum: string, development: Iterable<string>): string | undefined {
  if (new Set(sum.toLowerCase()).size < differentCharactersMin) return 'is no SHA-256 sum of a secret';
  for (const secret of development) {
    if (createHash('sha256').update(secret).digest('hex') === sum.toLowerCase()) {
      return 'is the sum of a development value, which is public';
    }
  }
  return undefined;
}
