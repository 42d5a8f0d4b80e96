// The shapes of items as harvestapi~linkedin-profile-posts stores them, odd and broken ones included.
import type { DatasetOptions, Item } from './item.types.js';
import { actorOf, image, profileOf } from './people.js';
import type { Random } from './random.js';

const dayMs = 86_400_000;
const reactionTypes = 'LIKE LIKE LIKE PRAISE EMPATHY APPRECIATION INTEREST ENTERTAINMENT'.split(' ');
const words = (
  'growth team customers launch quarter learned hiring market pipeline shipping ' +
  'partners today proud results roadmap numbers thanks forward event insight'
).split(' ');

/** What every item of one post is made from. */
export interface PostContext {
  input: Item;
  target: { url: string; handle: string; isCompany: boolean };
  options: DatasetOptions;
  random: Random;
  postedAt: Date;
  query: Item;
}

export function postOf(id: string, { target, options, random, postedAt, query }: PostContext): Item {
  const { networkUrl, now } = options;
  const person = profileOf(options.seed, target.handle);
  const isRepost = random.oneIn(6);
  const hasImages = random.oneIn(3);
  const hasArticle = random.oneIn(5);
  const hours = Math.max(1, Math.floor((now.getTime() - postedAt.getTime()) / 3_600_000));
  const text = sentence(random, random.integer(6, 40));
  const author = {
    [target.isCompany ? 'universalName' : 'publicIdentifier']: target.handle,
    type: target.isCompany ? 'company' : 'profile',
    name: target.isCompany ? titleCase(target.handle) : person.name,
    linkedinUrl: target.url,
    info: target.isCompany ? '12,345 followers' : person.headline,
    avatar: image(`${target.handle}/avatar.jpg`, 400, 400),
  };
  return {
    type: 'post',
    id,
    linkedinUrl: `${networkUrl}/posts/${target.handle}_activity-${id}`,
    content: text,
    author,
    article: hasArticle
      ? { title: sentence(random, 5), subtitle: 'example.com', link: 'https://example.com/article', image: null }
      : null,
    postedAt: {
      timestamp: postedAt.getTime(),
      date: postedAt.toISOString(),
      postedAgoShort: hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`,
      postedAgoText: `${hours} hours ago`,
    },
    postImages: hasImages ? [image(`${id}/1.jpg?e=1798761600`, 1200, 800)] : [],
    ...(isRepost
      ? {
          repostId: `7${random.integer(1e12, 9e12)}`,
          repostedAt: { timestamp: postedAt.getTime(), date: postedAt.toISOString() },
          repostedBy: { name: author.name, publicIdentifier: target.handle, linkedinUrl: target.url },
          repost: {
            type: 'post',
            id: `7${random.integer(1e12, 9e12)}`,
            content: sentence(random, 10),
            author: { ...actorOf(random, networkUrl), type: 'profile' },
          },
        }
      : {}),
    query,
  };
}

export function reactionOf(postId: string, random: Random, networkUrl: string, query: Item): Item {
  const actor = actorOf(random, networkUrl);
  return {
    type: 'reaction',
    id: `urn:li:fsd_reaction:(urn:li:fsd_profile:${actor.id},urn:li:ugcPost:${postId},0)`,
    reactionType: random.pick(reactionTypes),
    postId,
    actor,
    query,
  };
}

export function commentOf(
  postId: string,
  index: number,
  random: Random,
  postedAt: Date,
  { options, target, query }: PostContext,
): Item {
  const isAuthor = random.oneIn(8);
  const person = actorOf(random, options.networkUrl);
  const createdAt = new Date(Math.min(options.now.getTime(), postedAt.getTime() + random.integer(60_000, dayMs)));
  const commentId = `urn:li:fsd_comment:(${postId}${String(index).padStart(3, '0')},urn:li:ugcPost:${postId})`;
  return {
    type: 'comment',
    id: commentId,
    linkedinUrl: `${options.networkUrl}/feed/update/urn:li:ugcPost:${postId}?commentUrn=${encodeURIComponent(commentId)}`,
    commentary: sentence(random, random.integer(3, 15)),
    createdAt: createdAt.toISOString(),
    createdAtTimestamp: createdAt.getTime(),
    postId,
    numComments: random.integer(0, 3),
    numShares: null,
    numImpressions: null,
    reactionTypeCounts: [{ type: 'LIKE', count: random.integer(0, 9) }],
    actor: isAuthor
      ? { ...person, name: profileOf(options.seed, target.handle).name, linkedinUrl: target.url, author: true }
      : { ...person, author: false },
    pinned: random.oneIn(20),
    contributed: false,
    edited: random.oneIn(15),
    query,
  };
}

/** The odd items of real datasets: one without an id, one of an unknown type, one that is stored twice. */
export function oddItems(items: readonly Item[], random: Random, query: Item): Item[] {
  const odd: Item[] = [];
  if (random.oneIn(12)) odd.push({ type: 'comment', commentary: 'An item without id', createdAt: null, query });
  if (random.oneIn(15))
    odd.push({
      type: 'newsletter',
      id: `newsletter-${random.integer(1, 1e6)}`,
      title: 'Of a type nobody expects',
      query,
    });
  const first = items[0];
  if (first && random.oneIn(10)) odd.push(first);
  return odd;
}

/** Values that no reader expects: null, plain text, fields of the wrong type, an empty id. */
export function brokenItems(): unknown[] {
  return [
    null,
    'not an item',
    { '#broken': true, type: 'post', id: { nested: 'id' }, postedAt: 'yesterday', author: 42, reactions: 'none' },
    { '#broken': true, type: 'comment', id: '', createdAt: 'not a date', actor: null, postId: 7 },
  ];
}

function sentence(random: Random, length: number): string {
  const text = Array.from({ length }, () => random.pick(words)).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function titleCase(handle: string): string {
  return handle
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
