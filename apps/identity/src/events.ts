import { eventsClass } from '@tradewind/service-kit';

/** What happens in this service that an operator counts or looks up. */
export class AppEvents extends eventsClass('identity', {
  audited: { help: 'Audited acts: sign-ins, grants, registrations, revocations, key changes', labels: ['kind'] },
  login_throttled: {
    help: 'Logins refused without checking the password, by the limit that was reached',
    labels: ['limit', 'via'],
    level: 'debug',
  },
  logout_call: {
    help: 'Calls that told a client that a session ended (back-channel logout), by outcome',
    labels: ['outcome'],
    level: 'debug',
  },
  mail: {
    help: 'Mails with links of accounts, by outcome',
    labels: ['outcome', 'mail'],
    level: 'debug',
  },
  expired_rows_deleted: { help: 'Passes of the clean-up that deleted something' },
  key_set_changed: { help: 'Times this replica switched to a new set of signing keys' },
}) {}
