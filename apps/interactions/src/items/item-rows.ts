// Turns the provider's items into rows of the three warehouse tables. The provider stores posts, comments and reactions
// side by side, with comments and reactions before their post, and repeats them inside the post. `row_id` makes both
// the same row. Items that fit no table are returned as leftovers, never dropped.
import { createHash } from 'node:crypto';
import type { WarehouseRows } from '@tradewind/cloud-ports';
import { isDeeperThan, jsonLevelsMax } from '@tradewind/service-kit';

export type ItemKind = 'post' | 'comment' | 'reaction';

export const tableOfKind = {
  post: 'network_posts',
  comment: 'network_post_comments',
  reaction: 'network_post_reactions',
} as const satisfies Record<ItemKind, keyof WarehouseRows>;

export interface ItemRows {
  post: Map<string, WarehouseRows['network_posts']>;
  comment: Map<string, WarehouseRows['network_post_comments']>;
  reaction: Map<string, WarehouseRows['network_post_reactions']>;
}

export type LeftOverReason =
  'not_an_object' | 'nested_too_deep' | 'unknown_type' | 'without_id' | 'refused_by_warehouse';

export interface LeftOver {
  /** Position of the item in the dataset, and the path inside it, such as `17` or `17.reactions.3`. */
  position: string;
  reason: LeftOverReason;
  raw: unknown;
}

/** What every row of a run has in common. */
export interface RunOfItems {
  provider_run_id: string;
  user_company_id: string;
  network_username: string;
  entity_type: string;
}

type Item = Record<string, unknown>;

/**
 * Rows and leftovers of one page whose first item is at `offset` of the dataset. Within a page each row is there once.
 */
export function toRows(
  items: readonly unknown[],
  offset: number,
  run: RunOfItems,
  now: Date,
): { rows: ItemRows; leftOvers: LeftOver[] } {
  const rows: ItemRows = { post: new Map(), comment: new Map(), reaction: new Map() };
  const leftOvers: LeftOver[] = [];

  const place = (raw: unknown, position: string, nestedKind?: ItemKind, postId?: string): void => {
    if (!isItem(raw)) return void leftOvers.push({ position, reason: 'not_an_object', raw });
    const kind = nestedKind ?? kindOf(raw['type']);
    if (!kind) return void leftOvers.push({ position, reason: 'unknown_type', raw });
    const id = idOf(raw['id']);
    if (id === null) leftOvers.push({ position, reason: 'without_id', raw });
    else {
      const rowId = createHash('sha256').update(`${run.provider_run_id}|${kind}|${id}`).digest('hex');
      if (!rows[kind].has(rowId)) {
        const common = { row_id: rowId, ...run, raw, ingested_at: now };
        if (kind === 'post') rows.post.set(rowId, { ...common, ...toPost(id, raw) });
        if (kind === 'comment') rows.comment.set(rowId, { ...common, ...toComment(id, raw, postId) });
        if (kind === 'reaction') rows.reaction.set(rowId, { ...common, ...toReaction(id, raw, postId) });
      }
    }
    // Also for a post without an id: its comments and reactions have ids of their own.
    if (kind === 'post') {
      listOf(raw['comments']).forEach((nested, index) =>
        place(nested, `${position}.comments.${index}`, 'comment', id ?? undefined),
      );
      listOf(raw['reactions']).forEach((nested, index) =>
        place(nested, `${position}.reactions.${index}`, 'reaction', id ?? undefined),
      );
    }
    if (kind === 'comment') {
      const of = textOf(raw['postId']) ?? postId;
      listOf(raw['replies']).forEach((nested, index) => place(nested, `${position}.replies.${index}`, 'comment', of));
    }
  };

  items.forEach((item, index) => {
    const position = String(offset + index);
    // Neither the code below nor JSON.stringify survives thousands of levels, so the content is not kept.
    if (isDeeperThan(item, jsonLevelsMax)) leftOvers.push({ position, reason: 'nested_too_deep', raw: null });
    else place(item, position);
  });
  return { rows, leftOvers };
}

function toPost(id: string, item: Item) {
  const author = itemOf(item['author']);
  const engagement = itemOf(item['engagement']);
  const repostId = idOf(item['repostId']) ?? idOf(itemOf(item['repost'])['id']);
  const media = { images: item['postImages'], document: item['document'], article: item['article'] };
  return {
    post_id: id,
    url: textOf(item['linkedinUrl']),
    content: textOf(item['content']),
    author_id: textOf(author['publicIdentifier']) ?? textOf(author['universalName']),
    author_name: textOf(author['name']),
    author_type: textOf(author['type']),
    author_url: textOf(author['linkedinUrl']),
    posted_at: timeOf(itemOf(item['postedAt'])['date']) ?? timeOf(itemOf(item['postedAt'])['timestamp']),
    is_repost: repostId !== null || isItem(item['repost']),
    repost_id: repostId,
    reposted_by:
      textOf(itemOf(item['repostedBy'])['publicIdentifier']) ?? textOf(itemOf(item['repostedBy'])['universalName']),
    likes: wholeOf(engagement['likes']),
    comments: wholeOf(engagement['comments']),
    shares: wholeOf(engagement['shares']),
    reaction_counts: Array.isArray(engagement['reactions']) ? engagement['reactions'] : null,
    media: Object.values(media).some((part) => part !== undefined && part !== null) ? media : null,
  };
}

function toComment(id: string, item: Item, postId: string | undefined) {
  const actor = itemOf(item['actor']);
  return {
    comment_id: id,
    post_id: idOf(item['postId']) ?? postId ?? null,
    url: textOf(item['linkedinUrl']),
    text: textOf(item['commentary']),
    author_id: idOf(actor['id']),
    author_name: textOf(actor['name']),
    author_url: textOf(actor['linkedinUrl']),
    author_position: textOf(actor['position']),
    is_post_author: flagOf(actor['author']),
    created_at: timeOf(item['createdAt']) ?? timeOf(item['createdAtTimestamp']),
    reply_count: wholeOf(item['numComments']),
    reaction_counts: Array.isArray(item['reactionTypeCounts']) ? item['reactionTypeCounts'] : null,
    pinned: flagOf(item['pinned']),
    edited: flagOf(item['edited']),
  };
}

function toReaction(id: string, item: Item, postId: string | undefined) {
  const actor = itemOf(item['actor']);
  return {
    reaction_id: id,
    post_id: idOf(item['postId']) ?? postId ?? null,
    reaction_type: textOf(item['reactionType']),
    actor_id: idOf(actor['id']),
    actor_name: textOf(actor['name']),
    actor_url: textOf(actor['linkedinUrl']),
    actor_position: textOf(actor['position']),
  };
}

function kindOf(type: unknown): ItemKind | undefined {
  return type === 'post' || type === 'comment' || type === 'reaction' ? type : undefined;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function itemOf(value: unknown): Item {
  return isItem(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** PostgreSQL's text cannot hold NUL, and text that people write does not contain it. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\u0000', '') : null;
}

function wholeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

function flagOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function timeOf(value: unknown): Date | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const time = new Date(value);
  // Years that PostgreSQL and BigQuery both hold.
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999 ? null : time;
}
