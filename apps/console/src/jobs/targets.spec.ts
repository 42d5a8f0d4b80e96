import { describe, expect, it } from '@jest/globals';
import { itemsMax, targetsOf } from './targets.js';

describe('the targets of a start', () => {
  it('are one a line, each once, without blanks', () => {
    expect(targetsOf(' ada \n\nada\r\nhttps://example.com/in/bob\n', 'PERSON')).toEqual([
      { network_handle: 'ada', entity: 'PERSON' },
      { network_handle: 'https://example.com/in/bob', entity: 'PERSON' },
    ]);
    expect(targetsOf(' \n ', 'COMPANY')).toEqual([]);
  });

  it('can store at most their posts, and what belongs to each', () => {
    expect(itemsMax(2, { posts: 10, comments: 5, reactions: 3 })).toBe(180);
    expect(itemsMax(1, { posts: 10, comments: 0, reactions: 0 })).toBe(10);
    expect(itemsMax(1, { posts: 0, comments: 5, reactions: 5 })).toBeUndefined();
  });
});
