import type { Migration } from '@tradewind/service-kit';

export const limitsTables: Migration = {
  name: '0003-limits',
  up: `
  create table daily_quota (
    user_id uuid not null,
    day date not null,
    used integer not null check (used >= 0),
    primary key (user_id, day)
  ) with (fillfactor = 50);
  create index daily_quota_day on daily_quota (day);

  create table request_window (
    key text primary key,
    started_at timestamptz not null,
    used integer not null check (used >= 0)
  ) with (fillfactor = 50);

  -- Takes p_cost units of every window, or of none. Windows that are over start again. The rows are locked in the
  -- order of their keys, so two requests that share an address and a user cannot wait for one another in a circle.
  create function take_request_units(p_keys text[], p_limit integer, p_seconds integer, p_cost integer, p_now timestamptz)
    returns table (allowed boolean, used integer, ends_at timestamptz) language plpgsql set search_path from current as $$
  declare
    v_key text;
    v_used integer;
    v_started timestamptz;
    v_worst integer := -1;
    v_ends timestamptz;
  begin
    for v_key in select k from unnest(p_keys) k order by k loop
      insert into request_window as w (key, started_at, used) values (v_key, p_now, 0)
        on conflict (key) do update set
          used = case when w.started_at + make_interval(secs => p_seconds) <= p_now then 0 else w.used end,
          started_at = case when w.started_at + make_interval(secs => p_seconds) <= p_now then p_now else w.started_at end
        returning w.used, w.started_at into v_used, v_started;
      -- The fullest window is the one to report; of equally full ones the one that ends last.
      if v_used > v_worst or (v_used = v_worst and v_started + make_interval(secs => p_seconds) > v_ends) then
        v_worst := v_used;
        v_ends := v_started + make_interval(secs => p_seconds);
      end if;
    end loop;
    allowed := v_worst + p_cost <= p_limit;
    if allowed then
      update request_window w set used = w.used + p_cost where w.key = any (p_keys);
      v_worst := v_worst + p_cost;
    end if;
    used := v_worst;
    ends_at := v_ends;
    return next;
  end $$;`,
};
