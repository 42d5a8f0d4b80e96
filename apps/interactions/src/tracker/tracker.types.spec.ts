import { describe, expect, it } from '@jest/globals';
import { trackerTables } from './tracker-tables.js';
import { targetKey } from './tracker.types.js';

describe('targetKey', () => {
  const key = (networkHandle: string, entity: 'PERSON' | 'COMPANY' = 'PERSON') => targetKey({ networkHandle, entity });

  it('is the same for one page, however its handle is written', () => {
    expect(new Set([key('Ada-Lovelace'), key('ada-lovelace'), key('ADA-LOVELACE')]).size).toBe(1);
    expect(key('JOS\u00c9')).toBe(key('jos\u00e9'));
  });

  it('differs between pages and between kinds of pages', () => {
    expect(new Set([key('ada'), key('ad'), key('ada', 'COMPANY')]).size).toBe(3);
  });
});

describe('trackerTables', () => {
  it('names the tracker as the specification does', () => {
    expect(trackerTables('production').tracker).toBe('"network_interactions_tracker"');
    expect(trackerTables('staging').tracker).toBe('"network_interactions_trackerStaging"');
    expect(trackerTables('dev').tracker).toBe('"network_interactions_trackerDev"');
  });
});
