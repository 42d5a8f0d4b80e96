import { describe, expect, it } from '@jest/globals';
import { auditFilterOf } from './audit-filter.js';

const now = new Date('2026-11-24T10:00:00.000Z');
const localStart = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

describe('the filter of the audit log', () => {
  it('asks for everything without one', () => {
    expect(auditFilterOf({}, now)).toEqual({});
  });

  it('names the event, the user and the client', () => {
    expect(auditFilterOf({ event: 'login.failed', user: 'u', client: 'c' }, now)).toEqual({
      ...{ event: 'login.failed', user_id: 'u', client_id: 'c' },
    });
  });

  it('counts the last days from now, whatever the dates are', () => {
    expect(auditFilterOf({ days: '7', from: '2026-01-01', until: '2026-01-02' }, now)).toEqual({
      since: '2026-11-17T10:00:00.000Z',
    });
  });

  it('holds the whole last day, in the time zone of the browser', () => {
    expect(auditFilterOf({ from: '2026-10-20', until: '2026-10-31' }, now)).toEqual({
      since: localStart(2026, 10, 20),
      until: localStart(2026, 11, 1),
    });
  });

  it('leaves it to identity to refuse what is no date', () => {
    expect(auditFilterOf({ from: 'yesterday' }, now)).toEqual({ since: 'yesterday' });
    expect(auditFilterOf({ days: 'many' }, now)).toEqual({ since: 'many' });
    expect(auditFilterOf({ days: '99999999999' }, now)).toEqual({ since: '99999999999' });
  });
});
