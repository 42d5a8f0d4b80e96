// Which companies each data version changed. The filter index reads the changes since its own version, instead of the
// whole table. The triggers that raise the version write them in the writer's transaction, so that a snapshot that sees
// a version sees its changes.
import type { Migration } from '@tradewind/service-kit';

// A statement that wrote more rows than this leaves no list, because nobody would apply it row by row.
const idsMax = 10_000;
// Twice what a build over ten million rows takes at worst.
const kept = '30 minutes';

const tables = `
create table data_change (
  entity text not null,
  version bigint not null,
  -- Null when there were too many, and after TRUNCATE.
  ids bigint[],
  at timestamptz not null default clock_timestamp(),
  primary key (entity, version)
);

create function log_data_change() returns trigger language plpgsql set search_path from current as $$
declare
  raised bigint;
  changed bigint[];
begin
  update data_version set version = version + 1 where entity = tg_argv[0] returning version into raised;
  if tg_op = 'UPDATE' then
    select array_agg(id) into changed from (select id from new_rows union select id from old_rows limit ${idsMax + 1}) as each;
  elsif tg_op = 'INSERT' then
    select array_agg(id) into changed from (select id from new_rows limit ${idsMax + 1}) as each;
  elsif tg_op = 'DELETE' then
    select array_agg(id) into changed from (select id from old_rows limit ${idsMax + 1}) as each;
  end if;
  insert into data_change (entity, version, ids) values (
    tg_argv[0],
    raised,
    case when tg_op <> 'TRUNCATE' and coalesce(cardinality(changed), 0) <= ${idsMax} then coalesce(changed, '{}') end
  );
  -- Now and then is enough: what is left over does no harm.
  if raised % 100 = 0 then
    delete from data_change where entity = tg_argv[0] and at < clock_timestamp() - interval '${kept}';
  end if;
  return null;
end $$;

drop trigger company_version on company;
create trigger company_version_insert after insert on company
  referencing new table as new_rows for each statement execute function log_data_change('company');
create trigger company_version_update after update on company
  referencing old table as old_rows new table as new_rows for each statement execute function log_data_change('company');
create trigger company_version_delete after delete on company
  referencing old table as old_rows for each statement execute function log_data_change('company');
create trigger company_version_truncate after truncate on company
  for each statement execute function log_data_change('company');
`;

export const companyChanges: Migration = { name: '0004-company-changes', up: tables };
