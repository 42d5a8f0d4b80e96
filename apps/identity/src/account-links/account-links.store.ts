import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';

/** What a link is for: a first password, another one, or to confirm the address. */
export type LinkKind = 'invitation' | 'password' | 'email';

export interface StoredLink {
  userId: string;
  kind: LinkKind;
  credentialsVersion: number;
  /** Whoever has it can read the mails of the address. */
  isMailed: boolean;
}

export interface AccountMail {
  id: string;
  kind: LinkKind;
  emailKey: string;
  language: string;
  /** This one included. */
  attempts: number;
}

const linkColumns = `user_id as "userId", kind, credentials_version as "credentialsVersion", is_mailed as "isMailed"`;
const insertLink: NamedStatement = {
  name: 'account_link_insert',
  text: `insert into account_link (token_hash, user_id, kind, credentials_version, is_mailed, expires_at)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
};
const findLink: NamedStatement = {
  name: 'account_link_find',
  text: `select ${linkColumns} from account_link where token_hash = $1 and expires_at > now()`,
};
// Of two uses, the second finds it gone.
const takeLink: NamedStatement = {
  name: 'account_link_take',
  text: `delete from account_link where token_hash = $1 and kind = any($2::text[]) and expires_at > now() returning ${linkColumns}`,
};
const deleteExpired: NamedStatement = {
  name: 'account_link_delete_expired',
  text: `delete from account_link where token_hash = any(array(
           select token_hash from account_link where expires_at < now() order by expires_at limit $1 for update skip locked))`,
};
const insertMail: NamedStatement = {
  name: 'account_mail_insert',
  text: `insert into account_mail (kind, email_key, language)
         select $1, $2, $3 where (select count(*) from (select from account_mail limit $4) waiting) < $4`,
};
// A claim is due again when its lease ends: that of a replica that was killed is taken by another one.
const claimMails: NamedStatement = {
  name: 'account_mail_claim',
  text: `update account_mail set attempts = attempts + 1, due_at = now() + make_interval(secs => $2)
          where id = any(array(
            select id from account_mail where due_at <= now() order by due_at limit $1 for update skip locked))
         returning id, kind, email_key as "emailKey", language, attempts`,
};
const repeatMail: NamedStatement = {
  name: 'account_mail_repeat',
  text: 'update account_mail set due_at = now() + make_interval(secs => $2) where id = $1',
};
const removeMail: NamedStatement = { name: 'account_mail_remove', text: 'delete from account_mail where id = $1' };

/** The tables account_link and account_mail. */
@Injectable()
export class AccountLinksStore {
  constructor(private readonly db: Db) {}

  async insertLink(tx: Tx, hash: string, link: StoredLink, lifeSeconds: number): Promise<void> {
    const { userId, kind, credentialsVersion, isMailed } = link;
    await tx.affected(insertLink, [hash, userId, kind, credentialsVersion, isMailed, lifeSeconds]);
  }

  async findLink(hash: string): Promise<StoredLink | undefined> {
    return (await this.db.rows<StoredLink>(findLink, [hash]))[0];
  }

  async takeLink(tx: Tx, hash: string, kinds: readonly LinkKind[]): Promise<StoredLink | undefined> {
    return (await tx.rows<StoredLink>(takeLink, [hash, kinds]))[0];
  }

  async removeLinks(tx: Tx, userId: string): Promise<void> {
    await tx.affected('delete from account_link where user_id = $1', [userId]);
  }

  async deleteExpired(limit: number): Promise<number> {
    return this.db.affected(deleteExpired, [limit]);
  }

  /** False when so many wait already. */
  async insertMail(
    { kind, emailKey, language }: Pick<AccountMail, 'kind' | 'emailKey' | 'language'>,
    waitingMax: number,
    tx?: Tx,
  ): Promise<boolean> {
    return (await (tx ?? this.db).affected(insertMail, [kind, emailKey, language, waitingMax])) === 1;
  }

  /** At most `limit` mails that are due; nobody else gets them before the lease ends. */
  async claimMails(limit: number, leaseSeconds: number): Promise<AccountMail[]> {
    return this.db.rows<AccountMail>(claimMails, [limit, leaseSeconds]);
  }

  async repeatMail(id: string, afterSeconds: number): Promise<void> {
    await this.db.affected(repeatMail, [id, afterSeconds]);
  }

  async removeMail(id: string): Promise<void> {
    await this.db.affected(removeMail, [id]);
  }
}
