import { describe, expect, it } from '@jest/globals';
import type { DatasetOptions, Item } from './item.types.js';
import { countItems, datasetItems } from './items.js';

const options: DatasetOptions = {
  seed: '1',
  networkUrl: 'https://network.example',
  oddItems: false,
  now: new Date('2026-11-21T12:00:00Z'),
  isEmpty: false,
  hasBrokenItems: false,
};
const input = {
  targetUrls: ['https://network.example/in/ada-lovelace/'],
  postedLimit: 'any',
  maxPosts: 20,
  scrapeReactions: true,
  maxReactions: 5,
  scrapeComments: true,
  maxComments: 4,
  commentsPostedLimit: 'any',
};
const itemsFor = (changes: Item = {}, other: Partial<DatasetOptions> = {}) =>
  datasetItems({ ...input, ...changes }, { ...options, ...other }) as Item[];
const ofType = (items: Item[], type: string) => items.filter((item) => item['type'] === type);

describe('datasetItems', () => {
  it('is the same for the same seed, and different for another', () => {
    expect(itemsFor()).toEqual(itemsFor());
    expect(itemsFor({}, { seed: '2' })).not.toEqual(itemsFor());
  });

  it('returns comments and reactions before their post, which repeats them', () => {
    const items = itemsFor();
    const posts = ofType(items, 'post');
    expect(posts).toHaveLength(20);
    for (const post of posts) {
      const own = items.filter((item) => item['postId'] === post['id']);
      expect([...(post['reactions'] as Item[]), ...(post['comments'] as Item[])]).toEqual(own);
      for (const item of own) expect(items.indexOf(item)).toBeLessThan(items.indexOf(post));
    }
    expect(ofType(items, 'reaction').length).toBeGreaterThan(20);
    expect(ofType(items, 'comment').length).toBeGreaterThan(20);
  });

  it('keeps to the limits per post, leaves out what was not requested, and reads 0 as all', () => {
    for (const post of ofType(itemsFor(), 'post')) {
      expect((post['reactions'] as Item[]).length).toBeLessThanOrEqual(5);
      expect((post['comments'] as Item[]).length).toBeLessThanOrEqual(4);
    }
    const bare = itemsFor({ scrapeReactions: false, scrapeComments: false });
    expect(ofType(bare, 'post')).toHaveLength(bare.length);
    expect(itemsFor({ maxPosts: 0 }).length).toBeGreaterThan(itemsFor().length);
    const all = ofType(itemsFor({ maxReactions: 0 }), 'post');
    expect(all.every((post) => (post['reactions'] as Item[]).length === (post['engagement'] as Item)['likes'])).toBe(
      true,
    );
  });

  it('returns only posts of the requested time', () => {
    const dayMs = 86_400_000;
    for (const [limit, days] of [
      ['24h', 1],
      ['week', 7],
      ['month', 30],
      ['3months', 91],
    ] as const) {
      const posts = ofType(itemsFor({ postedLimit: limit, maxPosts: 0 }), 'post');
      for (const post of posts) {
        const postedAt = (post['postedAt'] as { timestamp: number }).timestamp;
        expect(options.now.getTime() - postedAt).toBeLessThanOrEqual(days * dayMs);
        expect(postedAt).toBeLessThanOrEqual(options.now.getTime());
      }
    }
    expect(ofType(itemsFor({ postedLimit: 'month', maxPosts: 0 }), 'post').length).toBeGreaterThan(0);
  });

  it('a later run returns the same posts and newer ones', () => {
    const ids = (now: string) =>
      ofType(itemsFor({ maxPosts: 0 }, { now: new Date(now) }), 'post').map((post) => post['id']);
    const earlier = ids('2026-11-21T12:00:00Z');
    const later = ids('2026-11-28T12:00:00Z');
    expect(later.filter((id) => earlier.includes(id)).length).toBeGreaterThan(earlier.length - 10);
    expect(later.some((id) => !earlier.includes(id))).toBe(true);
  });
});

describe('countItems', () => {
  it('counts distinct ids, and the items that a reader must skip', () => {
    expect(
      countItems([
        null,
        'text',
        { type: 'post', id: 'a' },
        { type: 'post', id: 'a' },
        { type: 'comment', id: 'a' },
        { type: 'reaction', id: 'r' },
        { type: 'reaction' },
        { type: 'newsletter', id: 'n' },
      ]),
    ).toEqual({ total: 8, posts: 1, comments: 1, reactions: 1, withoutId: 1, unknownType: 1, repeated: 1, broken: 2 });
  });

  it('puts odd items where they are requested', () => {
    const counts = countItems(itemsFor({ maxPosts: 0 }, { oddItems: true }));
    expect(Math.min(counts.withoutId, counts.unknownType, counts.repeated)).toBeGreaterThan(0);
    const plain = countItems(itemsFor({ maxPosts: 0 }));
    expect(plain).toMatchObject({ withoutId: 0, unknownType: 0, repeated: 0, broken: 0 });
    expect(counts).toMatchObject({ posts: plain.posts, comments: plain.comments, reactions: plain.reactions });
  });
});
