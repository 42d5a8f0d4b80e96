import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement } from '@tradewind/service-kit';

/** A client that is to be told of the end of a session. */
export interface LogoutCall {
  id: string;
  clientId: string;
  userId: string;
  /** Of the session, as the client knows it. */
  sid: string | null;
  /** This one included. */
  attempts: number;
  /** JSON text; null when the client is gone. */
  metadata: string | null;
}

// A claim is due again when its lease ends: that of a replica that was killed is taken by another one.
const claim: NamedStatement = {
  name: 'logout_call_claim',
  text: `with claimed as (
           update logout_call set attempts = attempts + 1, due_at = now() + make_interval(secs => $2)
            where id = any(array(
              select id from logout_call where due_at <= now() order by due_at limit $1 for update skip locked))
           returning id, client_id, user_id, sid, attempts
         )
         select l.id, l.client_id as "clientId", l.user_id as "userId", l.sid, l.attempts, c.metadata
           from claimed l left join oauth_client c on c.client_id = l.client_id`,
};
const repeat: NamedStatement = {
  name: 'logout_call_repeat',
  text: 'update logout_call set due_at = now() + make_interval(secs => $2) where id = $1',
};
const remove: NamedStatement = { name: 'logout_call_remove', text: 'delete from logout_call where id = $1' };

/** The table logout_call, except new rows: those are stored with the end of the session that they report. */
@Injectable()
export class LogoutCallsStore {
  constructor(private readonly db: Db) {}

  /** At most `limit` calls that are due; nobody else gets them before the lease ends. */
  async claim(limit: number, leaseSeconds: number): Promise<LogoutCall[]> {
    return this.db.rows<LogoutCall>(claim, [limit, leaseSeconds]);
  }

  async repeat(id: string, afterSeconds: number): Promise<void> {
    await this.db.affected(repeat, [id, afterSeconds]);
  }

  async remove(id: string): Promise<void> {
    await this.db.affected(remove, [id]);
  }
}
