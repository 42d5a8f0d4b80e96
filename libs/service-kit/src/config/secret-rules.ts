// Which secrets staging and production accept: long ones that are hard to guess and not in the source. A setting may
// hold several. Each is checked, and a fault names its place, never its value.
import { createHash } from 'node:crypto';
import type { Setting } from '@tradewind/shared-types';

/** 16 random letters and digits have 95 bits, which nobody can guess over the network. */
const lengthMin = 16;
/** 16 random hex digits have 10 different ones on average, and fewer than 7 once in a thousand times. */
const differentCharactersMin = 7;
const developmentPrefix = 'dev-only-';

/** The secrets in a setting. An address with credentials is not one that an operator can choose. */
function entriesOf({ separator }: Setting<unknown>, raw: string): string[] {
  if (isAddress(raw)) return [];
  return separator === undefined ? [raw] : raw.split(separator).map((entry) => entry.trim());
}

const isAddress = (raw: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(raw);

/** Every development secret of these settings, with each entry of a list on its own. */
export function developmentSecrets(settings: Readonly<Record<string, Setting<unknown>>>): ReadonlySet<string> {
  return new Set(
    Object.values(settings)
      .filter(({ secret }) => secret)
      .flatMap(({ devDefault }) => [devDefault].flat())
      .filter((value) => typeof value === 'string'),
  );
}

/** What is wrong with the secrets of a setting outside dev; undefined when they are safe. */
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

/** What is wrong with the SHA-256 sum of a secret, in hex: it is made up, or that of a development secret. */
export function secretSumFault(sum: string, development: Iterable<string>): string | undefined {
  if (new Set(sum.toLowerCase()).size < differentCharactersMin) return 'is no SHA-256 sum of a secret';
  for (const secret of development) {
    if (createHash('sha256').update(secret).digest('hex') === sum.toLowerCase()) {
      return 'is the sum of a development value, which is public';
    }
  }
  return undefined;
}
