import type { Migration } from '@tradewind/service-kit';

/**
 * What the administration API lists. Grants of all users or of one client: those that last longest first. The audit
 * log of a user, a client or a kind of event: by time. The former indexes of the audit log were by id, which is
 * not quite the order of time.
 */
export const listsOfGrantsAndAudit: Migration = {
  name: '0010-lists-of-grants-and-audit',
  up: `
    create index oidc_payload_grants on oidc_payload (expires_at, id) where model = 'Grant';
    create index oidc_payload_grants_of_client on oidc_payload (client_id, expires_at, id) where model = 'Grant';

    create index audit_event_newest on audit_event (at, id);
    create index audit_event_of_user on audit_event (user_id, at, id) where user_id is not null;
    create index audit_event_of_client on audit_event (client_id, at, id) where client_id is not null;
    create index audit_event_of_kind on audit_event (event, at, id);
    drop index audit_event_at;
    drop index audit_event_user;
    drop index audit_event_client;
  `,
};
