/** Ids of one block: few enough that reading past those that come before a cursor costs nothing to speak of. */
export const idBlockSize = 4096n;

/**
 * The one block that an id lies in, as an SQL list. Indexes are made on this very text (0007): another spelling of the same
 * list does not use them.
 */
export function idBlock(id: string): string {
  return `array[${id} / ${idBlockSize}]`;
}

/** Columns of which one index holds the elements together with the blocks of ids (0007; a further one needs a migration). */
export const blockedLists: Readonly<Record<string, readonly string[]>> = {
  company: ['search', 'location_ids', 'headquarters_location_ids'],
  person: ['identity_search', 'skill_ids', 'location_ids'],
  deal: ['title_search'],
};
