import { describe, expect, it } from '@jest/globals';
import type { DataStore } from '../data-store/data-store.js';
import { RecordChangesStore } from './record-changes.store.js';

describe('the changed records', () => {
  it('leave requests their turn while thousands of them are converted', async () => {
    const row = { version: '9', is_known: true, opportunity_ids: ['1'], collection_ids: ['2'] };
    const rows = Array.from({ length: 10_000 }, (_, place) => ({
      ...row,
      id: String(place),
      changed_id: String(place),
    }));
    const store = new RecordChangesStore({ query: () => Promise.resolve(rows) } as unknown as DataStore);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const changes = await store.since('contact', 1n, 20_000);
    isDone = true;
    expect(changes).toMatchObject({ outcome: 'known', version: 9n });
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});
