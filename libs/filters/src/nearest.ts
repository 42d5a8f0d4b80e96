import { distance } from 'fastest-levenshtein';

/** Up to three candidates that are close to the word in spelling, nearest first. */
export function nearestOf(word: string, candidates: readonly string[]): string[] {
  const sought = word.toLowerCase();
  const limit = Math.max(2, Math.ceil(sought.length / 2));
  return candidates
    .map((candidate) => ({ candidate, far: distance(sought, candidate.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}
