// Sets of whole numbers as intervals, to find out whether any number satisfies several conditions at once.

/** Both ends included. */
export interface Interval {
  first: bigint;
  last: bigint;
}

/** Ascending and disjoint. */
export type Intervals = readonly Interval[];

/** The numbers that are in at least one of the intervals, which may overlap, be empty, and come in any order. */
export function union(intervals: Intervals): Intervals {
  const sorted = intervals
    .filter(({ first, last }) => first <= last)
    .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const joined: Interval[] = [];
  for (const { first, last } of sorted) {
    const before = joined.at(-1);
    if (!before || first > before.last + 1n) joined.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return joined;
}

/** The numbers that are in both sets. */
export function intersection(left: Intervals, right: Intervals): Intervals {
  const common: Interval[] = [];
  for (let a = 0, b = 0; a < left.length && b < right.length;) {
    const [one, other] = [left[a]!, right[b]!];
    const first = one.first > other.first ? one.first : other.first;
    const last = one.last < other.last ? one.last : other.last;
    if (first <= last) common.push({ first, last });
    if (one.last < other.last) a += 1;
    else b += 1;
  }
  return common;
}

/** The numbers of `left` that are not in `right`. */
export function difference(left: Intervals, right: Intervals): Intervals {
  const rest: Interval[] = [];
  let b = 0;
  for (const { first, last } of left) {
    let from = first;
    while (b < right.length && right[b]!.last < from) b += 1;
    for (let next = b; next < right.length && right[next]!.first <= last; next++) {
      if (right[next]!.first > from) rest.push({ first: from, last: right[next]!.first - 1n });
      from = right[next]!.last + 1n;
    }
    if (from <= last) rest.push({ first: from, last });
  }
  return rest;
}
