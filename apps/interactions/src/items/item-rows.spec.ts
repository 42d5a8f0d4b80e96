import { describe, expect, it } from '@jest/globals';
import { toRows } from './item-rows.js';

const run = { provider_run_id: 'run', user_company_id: 'acme', network_username: 'ada', entity_type: 'PERSON' };
const now = new Date('2026-11-21T07:00:00Z');
const rowsOf = (...items: unknown[]) => toRows(items, 0, run, now);
const values = <T>(map: Map<string, T>) => [...map.values()];

const reaction = { type: 'reaction', id: 'r1', reactionType: 'LIKE', postId: 'p1', actor: { id: 'a1', name: 'Bob' } };
const comment = { type: 'comment', id: 'c1', commentary: 'Well done', postId: 'p1', actor: { id: 'a2', author: true } };
const post = {
  type: 'post',
  id: 'p1',
  linkedinUrl: 'https://www.linkedin.com/posts/p1',
  content: 'Hello',
  author: { publicIdentifier: 'ada', name: 'Ada', type: 'profile', linkedinUrl: 'https://www.linkedin.com/in/ada' },
  postedAt: { timestamp: 1_790_000_000_000, date: '2026-09-21T14:13:20.000Z' },
  engagement: { likes: 3, comments: 1, shares: 0, reactions: [{ type: 'LIKE', count: 3 }] },
  postImages: [],
  reactions: [reaction],
  comments: [comment],
};

describe('toRows', () => {
  it('makes one row each of a post, its comments and its reactions, even when they occur twice', () => {
    const { rows, leftOvers } = rowsOf(reaction, comment, post, post);
    expect(leftOvers).toEqual([]);
    expect([rows.post.size, rows.comment.size, rows.reaction.size]).toEqual([1, 1, 1]);
    expect(values(rows.post)[0]).toMatchObject({
      ...run,
      post_id: 'p1',
      content: 'Hello',
      author_id: 'ada',
      author_type: 'profile',
      posted_at: new Date('2026-09-21T14:13:20.000Z'),
      is_repost: false,
      repost_id: null,
      likes: 3,
      raw: post,
      ingested_at: now,
    });
    expect(values(rows.comment)[0]).toMatchObject({
      comment_id: 'c1',
      post_id: 'p1',
      text: 'Well done',
      is_post_author: true,
    });
    expect(values(rows.reaction)[0]).toMatchObject({ reaction_id: 'r1', reaction_type: 'LIKE', actor_id: 'a1' });
  });

  it('finds items that occur only inside a post, and gives them the id of that post', () => {
    const nested = { ...reaction, id: 'r2', postId: undefined, type: undefined };
    const { rows } = rowsOf({
      ...post,
      reactions: [nested],
      comments: [{ ...comment, replies: [{ id: 'c2', commentary: 'Thanks' }] }],
    });
    expect(values(rows.reaction)[0]).toMatchObject({ reaction_id: 'r2', post_id: 'p1' });
    expect(values(rows.comment).map((row) => [row.comment_id, row.post_id])).toEqual([
      ['c1', 'p1'],
      ['c2', 'p1'],
    ]);
  });

  it('gives an item the same row id wherever it occurs, and another one in another run or kind', () => {
    const first = values(rowsOf(comment).rows.comment)[0]!.row_id;
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(values(toRows([post, comment], 900, run, new Date()).rows.comment)[0]!.row_id).toBe(first);
    expect(values(toRows([comment], 0, { ...run, provider_run_id: 'other' }, now).rows.comment)[0]!.row_id).not.toBe(
      first,
    );
    expect(values(rowsOf({ ...reaction, id: 'c1' }).rows.reaction)[0]!.row_id).not.toBe(first);
  });

  it.each([
    [null, 'not_an_object'],
    ['text', 'not_an_object'],
    [[], 'not_an_object'],
    [{ type: 'newsletter', id: 'n' }, 'unknown_type'],
    [{ id: 'x' }, 'unknown_type'],
    [{ type: 'post' }, 'without_id'],
    [{ type: 'post', id: '  ' }, 'without_id'],
    [{ type: 'post', id: { nested: true } }, 'without_id'],
  ])('keeps %j aside as %s, with its place in the dataset', (item, reason) => {
    const { rows, leftOvers } = toRows([post, item], 40, run, now);
    expect(leftOvers).toEqual([{ position: '41', reason, raw: item }]);
    expect(rows.post.size).toBe(1);
  });

  it('keeps the position of an item that is nested too deep to store, but not its content', () => {
    const replies = (levels: number): object =>
      JSON.parse('{"replies":['.repeat(levels) + ']}'.repeat(levels)) as object;
    const deep = { ...comment, id: 'c9', ...replies(20_000) };
    const { rows, leftOvers } = toRows([deep, post], 40, run, now);
    expect(leftOvers).toEqual([{ position: '40', reason: 'nested_too_deep', raw: null }]);
    expect(rows.post.size).toBe(1);
  });

  it('keeps the comments of a post without an id', () => {
    const { rows, leftOvers } = rowsOf({ ...post, id: undefined, comments: [comment, null] });
    expect(leftOvers.map(({ position, reason }) => [position, reason])).toEqual([
      ['0', 'without_id'],
      ['0.comments.1', 'not_an_object'],
    ]);
    expect(rows.comment.size).toBe(1);
  });

  it('reads fields of every wrong type as null, and never invents a value', () => {
    const broken = {
      type: 'post',
      id: 9,
      author: 42,
      engagement: 'many',
      postedAt: 'yesterday',
      reactions: 'none',
      comments: 3,
    };
    expect(values(rowsOf(broken).rows.post)[0]).toMatchObject({
      post_id: '9',
      author_id: null,
      likes: null,
      posted_at: null,
      reaction_counts: null,
      media: null,
    });
    expect(values(rowsOf({ ...comment, createdAt: '275760-13-01', pinned: 'yes' }).rows.comment)[0]).toMatchObject({
      created_at: null,
      pinned: null,
    });
  });

  it('recognises a repost by the post that it repeats', () => {
    const { rows } = rowsOf({
      ...post,
      repostId: 'p0',
      repost: { type: 'post', id: 'p0' },
      repostedBy: { publicIdentifier: 'ada' },
    });
    expect(values(rows.post)).toHaveLength(1);
    expect(values(rows.post)[0]).toMatchObject({ is_repost: true, repost_id: 'p0', reposted_by: 'ada' });
  });
});
