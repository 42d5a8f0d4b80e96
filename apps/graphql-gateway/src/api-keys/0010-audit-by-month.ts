import type { Migration } from '@tradewind/service-kit';

/**
 * Keeps the audit log in one table for each month (UTC), so that one `drop table` removes an old month. Existing rows
 * move to their months, and rows are never changed. `occurrences`: refusals of one minute may share a row.
 */
export const auditByMonth: Migration = {
  name: '0010-audit-by-month',
  up: `
  alter table api_key_audit rename to api_key_audit_before;
  create sequence api_key_audit_number;
  create table api_key_audit (
    id bigint not null default nextval('api_key_audit_number'),
    at timestamptz(3) not null,
    outcome text not null,
    key_id uuid,
    key_prefix text,
    user_id uuid,
    ip text,
    operation_name text,
    occurrences integer not null default 1 check (occurrences > 0)
  ) partition by range (at);
  alter sequence api_key_audit_number owned by api_key_audit.id;

  -- A table is made first and attached then: that locks out no writer, as "create table ... partition of" would.
  create function make_api_key_audit_month(p_day date) returns void
    language plpgsql set search_path from current as $$
  declare
    v_from date := date_trunc('month', p_day)::date;
    v_to date := (date_trunc('month', p_day) + interval '1 month')::date;
    v_name text := 'api_key_audit_' || to_char(v_from, 'YYYY_MM');
  begin
    perform pg_advisory_xact_lock(hashtextextended('months of ' || current_schema() || '.api_key_audit', 0));
    if to_regclass(quote_ident(v_name)) is not null then return; end if;
    execute format('create table %I (like api_key_audit including defaults including constraints)', v_name);
    execute format('create trigger append_only_table before truncate on %I for each statement execute function refuse_change()', v_name);
    execute format('alter table api_key_audit attach partition %I for values from (%L) to (%L)',
      v_name, v_from || 'T00:00:00Z', v_to || 'T00:00:00Z');
  end $$;

  select make_api_key_audit_month(month::date)
    from (select distinct date_trunc('month', at at time zone 'UTC') as month from api_key_audit_before) months;
  insert into api_key_audit (id, at, outcome, key_id, key_prefix, user_id, ip, operation_name)
    select id, at, outcome, key_id, key_prefix, user_id, ip, operation_name from api_key_audit_before;
  select setval('api_key_audit_number', coalesce((select max(id) from api_key_audit_before), 0) + 1, false);
  drop table api_key_audit_before;

  alter table api_key_audit add primary key (id, at);
  create index api_key_audit_key on api_key_audit (key_id, at, id);
  create index api_key_audit_prefix on api_key_audit (key_prefix, at, id) where key_id is null;
  create trigger api_key_audit_append_only before update or delete or truncate on api_key_audit
    for each statement execute function refuse_change();
  -- A trigger for each row exists on every month as well; one for each statement does not.
  create trigger api_key_audit_append_only_rows before update or delete on api_key_audit
    for each row execute function refuse_change();`,
};
