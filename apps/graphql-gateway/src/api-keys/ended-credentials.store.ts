// Whose credentials have ended, as identity says, and how far its list has been read.
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import type { CredentialChangesPage } from '@tradewind/shared-types';

@Injectable()
export class EndedCredentialsStore {
  constructor(private readonly db: Db) {}

  async findCursor(): Promise<string> {
    const [row] = await this.db.rows<{ cursor: string }>('select cursor from credential_changes_read');
    return row!.cursor;
  }

  /** Runs the work in a transaction while no change is applied. Several such transactions run in parallel. */
  async betweenChanges<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.db.transaction(async (tx) => {
      // A statement of its own, so that the next one sees every change that this one waited for.
      await tx.rows('select from credential_changes_read for share');
      return work(tx);
    });
  }

  /** Moves the cursor and runs the work in one transaction; undefined when another replica has moved it already. */
  async moving<T>(from: string, to: string, work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    return this.db.transaction(async (tx) => {
      const moved = await tx.affected('update credential_changes_read set cursor = $2 where cursor = $1', [from, to]);
      return moved === 1 ? work(tx) : undefined;
    });
  }

  async record(tx: Tx, changes: CredentialChangesPage['changes']): Promise<void> {
    await tx.affected(
      `insert into ended_credentials (user_id, credentials_version)
       select * from unnest($1::uuid[], $2::int[])
       on conflict (user_id) do update set credentials_version = excluded.credentials_version`,
      [changes.map((change) => change.user_id), changes.map((change) => change.credentials_version)],
    );
  }

  /**
   * Forgets everything: identity was restored from a backup, and its versions start over. Revoked keys stay revoked.
   */
  async forget(tx: Tx): Promise<undefined> {
    await tx.affected('delete from ended_credentials');
  }
}
