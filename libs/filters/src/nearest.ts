// Which known names to offer for an unknown one: names that share its words come before names of similar spelling.
import { distance } from 'fastest-levenshtein';
import { normaliseText } from './text.js';

/** A name to offer, and the spellings (as `keyOf` gives them) that it is compared by. */
export interface Candidate {
  name: string;
  spellings: Iterable<string>;
}

const suggestionsMax = 3;

/** Longer texts are not misspelt names, and comparing them costs time. */
const keyMaxChars = 100;

/** Shorter spellings are codes such as `DEU`: close to every other short text, and rarely what was meant. */
const spellingMinChars = 4;
const keyMinChars = 3;

/** Names are the same when their keys are: case, accents and punctuation do not count, and `&` is `and`. */
export function keyOf(name: string): string {
  return normaliseText(name.replaceAll('&', ' and '));
}

/** Up to three names that share words with the text or are close to it in spelling, nearest first. */
export function nearestOf(text: string, names: readonly string[]): string[] {
  if (text.length > keyMaxChars) return [];
  const key = keyOf(text);
  const lettersMax = Math.max(2, Math.ceil(key.length / 2));
  return nearestCandidates(
    key,
    names.map((name) => ({ name, spellings: [keyOf(name)] })),
    lettersMax,
  );
}

/**
 * Up to three candidates. First come those that hold the words of the key, or whose words the key holds (`Korea`: South
 * Korea). Then come those with a word that begins like the key, then those that differ from it in few letters. The last
 * are at most `lettersMax` letters away, and at most two more than the nearest.
 */
export function nearestCandidates(key: string, candidates: Iterable<Candidate>, lettersMax = Infinity): string[] {
  if (key.length < keyMinChars || key.length > keyMaxChars) return [];
  const ranks = new Map<string, Rank>();
  let limit = lettersMax;
  for (const { name, spellings } of candidates) {
    for (const spelling of spellings) {
      const rank = rankOf(key, spelling, limit);
      if (!rank) continue;
      limit = Math.min(limit, (rank.kind === 'spelling' ? rank.letters : 0) + 2);
      const known = ranks.get(name);
      if (!known || compareRanks(rank, known) < 0) ranks.set(name, rank);
    }
  }
  return [...ranks]
    .filter(([, rank]) => rank.kind !== 'spelling' || rank.letters <= limit)
    .sort(([a, rankA], [b, rankB]) => compareRanks(rankA, rankB) || (a < b ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(([name]) => name);
}

const kinds = ['words', 'beginning', 'spelling'] as const;

/** How a spelling is near, and by how many letters it differs. */
interface Rank {
  kind: (typeof kinds)[number];
  letters: number;
}

function rankOf(key: string, spelling: string, lettersMax: number): Rank | undefined {
  if (spelling.length < spellingMinChars) return undefined;
  const letters = Math.abs(spelling.length - key.length);
  if (holdsWords(spelling, key) || holdsWords(key, spelling)) return { kind: 'words', letters };
  if (` ${spelling}`.includes(` ${key}`)) return { kind: 'beginning', letters };
  if (letters > lettersMax) return undefined;
  const differing = distance(key, spelling);
  return differing <= lettersMax ? { kind: 'spelling', letters: differing } : undefined;
}

function compareRanks(a: Rank, b: Rank): number {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.letters - b.letters;
}

function holdsWords(text: string, words: string): boolean {
  return ` ${text} `.includes(` ${words} `);
}
