// All SQL on what identity has told of ended credentials, and how far its list is read.
import { Injectable } from '@nestjs/common';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class EndedCredentialsStore {
  constructor(private readonly dataSource: DataSource) {}

  async findCursor(): Promise<string> {
    const [row] = await this.dataSource.query<{ cursor: string }[]>('select cursor from credential_changes_read');
    return row!.cursor;
  }

  /** Runs the work in a transaction during which no change is taken over. Works at once do not wait for each other. */
  async betweenChanges<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      // A statement of its own: what follows then sees every change that was waited for.
      await tx.query('select from credential_changes_read for share');
      return work(tx);
    });
  }

  /** Moves the place and runs the work in one transaction; undefined when another replica has moved it meanwhile. */
  async moving<T>(from: string, to: string, work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const [, moved] = await tx.query<[unknown, number]>(
        'update credential_changes_read set cursor = $2 where cursor = $1',
        [from, to],
      );
      return moved === 1 ? work(tx) : undefined;
    });
  }

  async record(tx: EntityManager, changes: CredentialChangesPage['changes']): Promise<void> {
    await tx.query(
      `insert into ended_credentials (user_id, credentials_version)
       select * from unnest($1::uuid[], $2::int[])
       on conflict (user_id) do update set credentials_version = excluded.credentials_version`,
      [changes.map((change) => change.user_id), changes.map((change) => change.credentials_version)],
    );
  }

  /** Forgets all: identity was restored, and its versions begin again where they were then. Ended keys stay so. */
  async forget(tx: EntityManager): Promise<undefined> {
    await tx.query('delete from ended_credentials');
  }
}
