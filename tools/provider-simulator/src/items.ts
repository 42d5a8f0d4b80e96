// The dataset of a run of harvestapi~linkedin-profile-posts: posts, comments and reactions in the shapes and the order
// of the real actor. A page posts every few days on fixed days, so that a second run finds the same posts again and
// perhaps a newer one. Nothing is stored: a dataset is a function of seed, input and the moment of the run.
import { contentSum, sumOfSums } from './content-sum.js';
import { brokenItems, commentOf, oddItems, postOf, reactionOf, type PostContext } from './item-shapes.js';
import type { DatasetOptions, Item, ItemCounts, ItemSums } from './item.types.js';
import { Random, hash } from './random.js';

const dayMs = 86_400_000;
/** How far back a page reaches; "all posts" means these. */
const historyDays = 400;
const periodDays: Record<string, number> = {
  '1h': 1 / 24,
  '24h': 1,
  week: 7,
  month: 30,
  '3months': 91,
  '6months': 182,
  year: 365,
};
/** The pages a run scrapes, as the actor reads them from its input. */
export function targetsOf(input: Item): { url: string; handle: string; isCompany: boolean }[] {
  const urls: unknown[] = Array.isArray(input['targetUrls']) ? input['targetUrls'] : [];
  return urls
    .filter((url) => typeof url === 'string')
    .map((url) => {
      const match = /\/(in|company)\/([^/?#]+)/.exec(url);
      return { url, handle: decode(match?.[2] ?? url), isCompany: match?.[1] === 'company' };
    });
}

export function datasetItems(input: Item, options: DatasetOptions): unknown[] {
  if (options.isEmpty) return [];
  const items: unknown[] = options.hasBrokenItems ? brokenItems() : [];
  for (const target of targetsOf(input)) items.push(...itemsOfPage(input, target, options));
  return items;
}

const kinds: Record<string, 'posts' | 'comments' | 'reactions'> = {
  post: 'posts',
  comment: 'comments',
  reaction: 'reactions',
};

export function countItems(items: readonly unknown[]): ItemCounts {
  const counts: ItemCounts = {
    total: items.length,
    posts: 0,
    comments: 0,
    reactions: 0,
    withoutId: 0,
    unknownType: 0,
    repeated: 0,
    broken: 0,
  };
  const seen = new Set<string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null || '#broken' in item) {
      counts.broken += 1;
      continue;
    }
    const { type, id } = item as Item;
    const kind = typeof type === 'string' ? kinds[type] : undefined;
    if (!kind) counts.unknownType += 1;
    else if (typeof id !== 'string') counts.withoutId += 1;
    else if (seen.has(`${kind}/${id}`)) counts.repeated += 1;
    else {
      seen.add(`${kind}/${id}`);
      counts[kind] += 1;
    }
  }
  return counts;
}

/** Those that `countItems` counts as posts, comments and reactions. */
export function sumItems(items: readonly unknown[]): ItemSums {
  const sums = {
    posts: new Map<string, string>(),
    comments: new Map<string, string>(),
    reactions: new Map<string, string>(),
  };
  for (const item of items) {
    if (typeof item !== 'object' || item === null || '#broken' in item) continue;
    const { type, id } = item as Item;
    const kind = typeof type === 'string' ? kinds[type] : undefined;
    if (kind && typeof id === 'string' && !sums[kind].has(id)) sums[kind].set(id, contentSum(item));
  }
  const of = (kind: keyof ItemSums) => sumOfSums([...sums[kind].values()]);
  return { posts: of('posts'), comments: of('comments'), reactions: of('reactions') };
}

function itemsOfPage(
  input: Item,
  target: { url: string; handle: string; isCompany: boolean },
  options: DatasetOptions,
): Item[] {
  const maxPosts = number(input['maxPosts'], 10);
  const period = periodDays[text(input['postedLimit'])] ?? historyDays;
  const query = { targetUrl: target.url, postedLimit: input['postedLimit'], maxPosts: input['maxPosts'] };
  const everyDays = 1 + (hash(`${options.seed}/pace/${target.handle}`) % 6);
  const today = Math.floor(options.now.getTime() / dayMs);
  const items: Item[] = [];
  let found = 0;
  for (let day = today; day > today - historyDays; day--) {
    if (maxPosts > 0 && found >= maxPosts) break;
    if ((day + hash(target.handle)) % everyDays !== 0) continue;
    const random = new Random(`${options.seed}/post/${target.handle}/${day}`);
    const postedAt = new Date(day * dayMs + random.integer(0, dayMs - 1));
    const ageDays = (options.now.getTime() - postedAt.getTime()) / dayMs;
    if (ageDays < 0 || ageDays > period) continue;
    found += 1;
    items.push(...itemsOfPost({ input, target, options, random, postedAt, query }));
  }
  return items;
}

function itemsOfPost(context: PostContext): Item[] {
  const { input, target, options, random, postedAt, query } = context;
  const id = `7${String(postedAt.getTime()).padStart(13, '0')}${String(hash(target.handle) % 100_000).padStart(5, '0')}`;
  const post = postOf(id, context);
  const reactionTotal = random.integer(0, 40);
  const commentTotal = random.integer(0, 12);
  const reactions =
    input['scrapeReactions'] === true
      ? Array.from({ length: wantedCount(input['maxReactions'], reactionTotal) }, () =>
          reactionOf(id, random, options.networkUrl, query),
        )
      : [];
  const comments =
    input['scrapeComments'] === true
      ? Array.from({ length: wantedCount(input['maxComments'], commentTotal) }, (_, index) =>
          commentOf(id, index, random, postedAt, context),
        ).filter((comment) => isRecent(comment, text(input['commentsPostedLimit']), options.now))
      : [];
  post['engagement'] = {
    likes: reactionTotal,
    comments: commentTotal,
    shares: random.integer(0, 6),
    reactions: [
      { type: 'LIKE', count: reactionTotal - Math.floor(reactionTotal / 3) },
      { type: 'PRAISE', count: Math.floor(reactionTotal / 3) },
    ],
  };
  // The post repeats items that are already stored, so a reader that counts both counts twice.
  post['reactions'] = reactions;
  post['comments'] = comments;
  const items = [...reactions, ...comments, post];
  if (options.oddItems) items.push(...oddItems(items, random, query));
  return items;
}

function isRecent(comment: Item, limit: string, now: Date): boolean {
  const days = periodDays[limit];
  return days === undefined || now.getTime() - Number(comment['createdAtTimestamp']) <= days * dayMs;
}

/** 0 means all of them. */
function wantedCount(max: unknown, total: number): number {
  const wanted = number(max, 0);
  return wanted === 0 ? total : Math.min(wanted, total);
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

/** A limit that is absent or no text limits nothing. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : 'any';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
