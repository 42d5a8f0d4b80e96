import type { Migration } from '@tradewind/service-kit';

/**
 * The browser session that results when two requests of one browser change it at the same time. It is the later one,
 * with the grants of the earlier one unless somebody else signed in between.
 */
export const mergedSessions: Migration = {
  name: '0002-merged-sessions',
  up: `
    create function merged_session(earlier text, later text) returns text language sql immutable parallel safe as $$
      select case
        when earlier is null or earlier::jsonb ->> 'accountId' is distinct from later::jsonb ->> 'accountId' then later
        else (later::jsonb || jsonb_build_object('authorizations', (
               select coalesce(jsonb_object_agg(client_id,
                        coalesce(e.authorizations -> client_id, '{}') || coalesce(l.authorizations -> client_id, '{}')), '{}')
                 from (select coalesce(earlier::jsonb -> 'authorizations', '{}') as authorizations) e,
                      (select coalesce(later::jsonb -> 'authorizations', '{}') as authorizations) l,
                      jsonb_object_keys(e.authorizations || l.authorizations) as client_id)))::text
      end
    $$;
  `,
};
