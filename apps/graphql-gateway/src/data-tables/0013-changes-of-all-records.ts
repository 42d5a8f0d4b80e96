// Persons, deals and contacts leave a list of what each data version changed, as companies do since 0004. Replicas of
// the version before this one read the version alone, which is raised as before.
import type { Migration } from '@tradewind/service-kit';

const triggers = ['person', 'deal', 'contact'].map(
  (table) => `
drop trigger ${table}_version on ${table};
create trigger ${table}_version_insert after insert on ${table}
  referencing new table as new_rows for each statement execute function log_data_change('${table}');
create trigger ${table}_version_update after update on ${table}
  referencing old table as old_rows new table as new_rows for each statement execute function log_data_change('${table}');
create trigger ${table}_version_delete after delete on ${table}
  referencing old table as old_rows for each statement execute function log_data_change('${table}');
create trigger ${table}_version_truncate after truncate on ${table}
  for each statement execute function log_data_change('${table}');`,
);

export const changesOfAllRecords: Migration = { name: '0013-changes-of-all-records', up: triggers.join('\n') };
