import { describe, expect, it } from '@jest/globals';
import type { ProfileCallStatus, ProfileDeliveryStatus } from '@tradewind/shared-types';
import { missingReason } from './missing-reason.js';

const call = (state: ProfileCallStatus['state'], reason: string | null = null): ProfileCallStatus => ({
  network_username: 'jane',
  state,
  reason,
  started_at: state === 'started' ? '2026-11-02T00:00:00.000Z' : null,
});
const delivery = (more: Partial<ProfileDeliveryStatus> = {}): ProfileDeliveryStatus => ({
  network_username: 'jane',
  received_at: '2026-11-02T00:00:00.000Z',
  request_status: 'SUCCESS',
  reason: null,
  stored: true,
  backed_up: true,
  correlation_id: null,
  ...more,
});

describe('missingReason', () => {
  it.each([
    [undefined, delivery(), undefined],
    [call('refused'), delivery(), undefined],
    [
      call('started'),
      delivery({ stored: false, backed_up: false }),
      'received, not yet in the warehouse and the backup',
    ],
    [call('started'), delivery({ backed_up: false, reason: 'full' }), 'received, not yet in the backup: full'],
    [call('started'), delivery({ request_status: 'FAILED' }), 'the provider failed: no reason given'],
    [call('started'), undefined, 'started at 2026-11-02T00:00:00.000Z, nothing received yet'],
    [call('refused', '400'), undefined, 'not started: 400'],
    [call('pending', 'full'), undefined, 'waits to be started: full'],
    [call('starting'), undefined, 'is being started'],
    [call('unknown'), undefined, 'may be started: no clear answer of the provider'],
    [undefined, undefined, 'published, not received by priority-api yet'],
  ])('for call %j and delivery %j is %j', (profileCall, profileDelivery, expected) => {
    expect(missingReason({ isPublished: true, call: profileCall, delivery: profileDelivery })).toBe(expected);
  });

  it('names a profile that is not published yet', () => {
    expect(missingReason({ isPublished: false, call: undefined, delivery: undefined })).toBe(
      'selected, not published yet',
    );
  });
});
