// The list by which other services learn that the API keys of a user end. A change gets its position in the transaction
// that makes it, under a lock that is held until the commit: positions are visible in their order, so that a reader who
// has seen one has seen all before it. Moments decide nothing.
import { Injectable } from '@nestjs/common';
import { PreparedStatements, type Statement } from '../prepared-statements.js';

export interface CredentialChange {
  userId: string;
  /** What was made with a lower version is worth nothing. */
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

// The last position and the page are of one snapshot. Without a change there is still a row, for the position.
const list: Statement = {
  name: 'credential_change_list',
  text: `select p.last, c.user_id, c.credentials_version, c.position, c.changed_at
           from credential_change_position p
           left join lateral (select * from credential_change where position > $1 order by position limit $2) c on true
          order by c.position`,
};

interface Row {
  last: string;
  user_id: string | null;
  credentials_version: number;
  position: string;
  changed_at: Date;
}

@Injectable()
export class CredentialChangesStore {
  constructor(private readonly statements: PreparedStatements) {}

  /** Changes behind a position, in their order, and the position of the last change of all. */
  async list(after: string, limit: number): Promise<{ changes: CredentialChange[]; last: string }> {
    const { rows } = await this.statements.run<Row>(list, [after, limit]);
    return {
      changes: rows.flatMap((row) =>
        row.user_id === null
          ? []
          : {
              userId: row.user_id,
              credentialsVersion: row.credentials_version,
              position: row.position,
              changedAt: row.changed_at,
            },
      ),
      last: rows[0]?.last ?? '0',
    };
  }
}
