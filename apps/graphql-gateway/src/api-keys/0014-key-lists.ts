import type { Migration } from '@tradewind/service-kit';

/**
 * Keys in lists: of a user, of a company and of everybody, newest first; when a key was last used; who changed it. The
 * index `api_key_newest_of_user` also serves what `api_key_user` did.
 */
export const keyLists: Migration = {
  name: '0014-key-lists',
  up: `
  -- The company that the user belonged to when the key was made; null: none, or made before this was kept.
  alter table api_key add column company_id text;
  -- Written some seconds after the use.
  alter table api_key add column last_used_at timestamptz(3);
  create index api_key_newest on api_key (created_at desc, id desc);
  create index api_key_newest_of_user on api_key (user_id, created_at desc, id desc);
  create index api_key_newest_of_email on api_key (lower(user_email), created_at desc, id desc);
  create index api_key_newest_of_company on api_key (company_id, created_at desc, id desc) where company_id is not null;
  create index api_key_newest_of_prefix on api_key (prefix, created_at desc, id desc);
  drop index api_key_user;

  -- sub of a user, name of a service token, or operator; null: a use, a refusal, or the end of the user's credentials.
  alter table api_key_audit add column changed_by text;
  create index api_key_audit_limited on api_key_audit (user_id, at) where outcome = 'rate_limited';`,
};
