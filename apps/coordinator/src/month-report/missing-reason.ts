import type { ProfileCallStatus, ProfileDeliveryStatus } from '@tradewind/shared-types';

/** The state of a selected profile, combined from what the three apps know. */
export interface ProfileStanding {
  isPublished: boolean;
  call: ProfileCallStatus | undefined;
  delivery: ProfileDeliveryStatus | undefined;
}

/** Why a profile is not done, in words for an operator; undefined when it is stored and backed up. */
export function missingReason({ isPublished, call, delivery }: ProfileStanding): string | undefined {
  if (delivery?.request_status === 'SUCCESS') {
    if (delivery.stored && delivery.backed_up) return undefined;
    const where = [delivery.stored ? [] : ['the warehouse'], delivery.backed_up ? [] : ['the backup']]
      .flat()
      .join(' and ');
    return `received, not yet in ${where}${delivery.reason ? `: ${delivery.reason}` : ''}`;
  }
  if (delivery) return `the provider failed: ${delivery.reason ?? 'no reason given'}`;
  if (call) {
    switch (call.state) {
      case 'started':
        return `started at ${call.started_at ?? 'an unknown time'}, nothing received yet${call.reason ? `: ${call.reason}` : ''}`;
      case 'refused':
        return `not started: ${call.reason ?? 'refused'}`;
      case 'pending':
        return `waits to be started${call.reason ? `: ${call.reason}` : ''}`;
      case 'starting':
        return 'is being started';
      case 'unknown':
        return `may be started: ${call.reason ?? 'no clear answer of the provider'}`;
    }
  }
  return isPublished ? 'published, not received by priority-api yet' : 'selected, not published yet';
}
