import { describe, expect, it } from '@jest/globals';
import type { Month } from '@tradewind/shared-types';
import { deliveryIdentity, type IdentifiedDelivery } from './delivery-identity.js';

describe('deliveryIdentity', () => {
  const delivery: IdentifiedDelivery = {
    networkUsername: 'jane',
    month: '2026-11' as Month,
    requestStatus: 'SUCCESS',
    correlationId: undefined,
    body: { url: 'u', data: { profile: { name: 'a', tags: [1, 2] } } },
  };
  const identity = (changes: Partial<IdentifiedDelivery>) => deliveryIdentity({ ...delivery, ...changes });

  it('of a scrape with a correlation id depends on profile and status, not on the content', () => {
    const named = { correlationId: '2026-11.x' };
    expect(identity({ ...named, body: 'other' })).toBe(identity(named));
    const others = [{ requestStatus: 'FAILED' as const }, { networkUsername: 'joe' }, { correlationId: '2026-11.y' }];
    expect(new Set([identity(named), ...others.map((other) => identity({ ...named, ...other }))]).size).toBe(4);
  });

  it('of one without an id is its content in its month, whatever the order of fields', () => {
    expect(identity({ body: { data: { profile: { tags: [1, 2], name: 'a' } }, url: 'u' } })).toBe(identity({}));
    const others = [
      { body: { url: 'u', data: { profile: { name: 'a', tags: [2, 1] } } } },
      { month: '2026-12' as Month },
      { networkUsername: 'joe' },
    ];
    expect(new Set([identity({}), ...others.map(identity)]).size).toBe(4);
  });
});
