// A statement that writes more rows than a row of `data_change` lists leaves its ids in parts. The feeder of OpenSearch
// writes part after part, instead of building the whole index again. The gateways leave such a change alone, as before:
// PostgreSQL answers until the index has it.
import type { Migration } from '@tradewind/service-kit';

// As in 0004: so many ids are in `data_change` itself, and in each part.
const idsMax = 10_000;
// A feeder needs some ten minutes for them. With more, the index is built again, and nothing is listed.
const listedMax = 10_000_000;
const kept = '30 minutes';

const changed = `case tg_op
    when 'INSERT' then 'select id from new_rows'
    when 'DELETE' then 'select id from old_rows'
    else 'select id from new_rows union select id from old_rows' end`;

export const partsOfLargeChanges: Migration = {
  name: '0015-parts-of-large-changes',
  up: `
create table data_change_part (
  entity text not null,
  version bigint not null,
  -- From 0.
  part integer not null,
  ids bigint[] not null,
  primary key (entity, version, part),
  foreign key (entity, version) references data_change on delete cascade
);

create or replace function log_data_change() returns trigger language plpgsql set search_path from current as $$
declare
  raised bigint;
  changed bigint[];
  counted bigint;
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
  if cardinality(changed) > ${idsMax} then
    execute 'select count(*) from (' || ${changed} || ') as each' into counted;
    if counted <= ${listedMax} then
      execute 'insert into data_change_part (entity, version, part, ids)
        select $1, $2, (place - 1) / ${idsMax}, array_agg(id)
        from (select id, row_number() over () as place from (' || ${changed} || ') as each) as numbered
        group by 3' using tg_argv[0], raised;
    end if;
  end if;
  -- Now and then is enough: what is left over does no harm.
  if raised % 100 = 0 then
    delete from data_change where entity = tg_argv[0] and at < clock_timestamp() - interval '${kept}';
  end if;
  return null;
end $$;
`,
};
