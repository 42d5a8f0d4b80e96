// The list from which other services learn that the API keys of a user end. A change takes its position in its own
// transaction, under a lock that is held until the commit. Positions therefore become visible in their order: a reader
// that has seen one has seen all before it. Timestamps decide nothing.
import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement } from '@tradewind/service-kit';

export interface CredentialChange {
  userId: string;
  /** Whatever was made with a lower version is worthless. */
  credentialsVersion: number;
  position: string;
  changedAt: Date;
}

/** @param change a statement that changes users and returns `id` and `credentials_version` */
export function withCredentialChange(change: string): string {
  return `with changed as (${change}
    ), next as (
      update credential_change_position set last = last + 1 returning last
    )
    insert into credential_change as c (user_id, credentials_version, position)
    select changed.id, changed.credentials_version, next.last from changed, next
    on conflict (user_id) do update
      set credentials_version = excluded.credentials_version, position = excluded.position, changed_at = excluded.changed_at`;
}

// The last position and the page come from one snapshot. Without a change there is still a row, with the position.
const list: NamedStatement = {
  name: 'credential_change_list',
  text: `select p.last, c.user_id as "userId", c.credentials_version as "credentialsVersion", c.position,
                c.changed_at as "changedAt"
           from credential_change_position p
           left join lateral (select * from credential_change where position > $1 order by position limit $2) c on true
          order by c.position`,
};

@Injectable()
export class CredentialChangesStore {
  constructor(private readonly db: Db) {}

  /** The changes after a position, in their order, and the position of the last change of all. */
  async list(after: string, limit: number): Promise<{ changes: CredentialChange[]; last: string }> {
    const rows = await this.db.rows<CredentialChange & { last: string }>(list, [after, limit]);
    return { changes: rows.filter(({ position }) => position !== null), last: rows[0]?.last ?? '0' };
  }
}
