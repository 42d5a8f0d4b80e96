import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import type { Month, ProfileDeliveryStatus } from '@tradewind/shared-types';
import { backupObjectName } from './backup-object-name.js';
import type { IncomingDelivery, KeptDelivery } from './delivery.types.js';

/** Most deliveries of one profile in one second. More are a fault, not a coincidence. */
const twinMax = 1000;

/** What became of one delivery of a group. */
export interface InsertedDelivery {
  delivery: KeptDelivery;
  /** False: the same delivery had been received before, and nothing was added. */
  isNew: boolean;
}

/** An attempt after which something is still to be done. */
export interface UnfinishedDelivery {
  id: string;
  isStored: boolean;
  isBackedUp: boolean;
  error: string;
  /** Wait before the next attempt. */
  retryAfterMs: number;
}

/** What became of one webhook of a profile. */
export interface DeliveryOfProfile {
  id: string;
  month: Month;
  receivedAt: Date;
  requestStatus: 'SUCCESS' | 'FAILED';
  /** Why it failed, or why it is not in both places yet. */
  reason: string | null;
  isStored: boolean;
  isBackedUp: boolean;
  objectName: string;
}

interface DeliveryRow {
  id: string;
  identity: string;
  network_username: string;
  received_at: Date;
  request_status: 'SUCCESS' | 'FAILED';
  body: string;
  object_name: string;
  attempts: number;
  is_stored: boolean;
  is_backed_up: boolean;
}

const historyColumns = `d.id::text as id, d.month, d.received_at as "receivedAt", d.request_status as "requestStatus",
  coalesce(d.reason, o.last_error) as reason, coalesce(o.is_stored, true) as "isStored",
  coalesce(o.is_backed_up, true) as "isBackedUp", d.object_name as "objectName"`;

const columns = `d.id::text, d.identity, d.network_username, d.received_at, d.request_status, d.body::text as body, d.object_name`;

/**
 * In the `from` of a statement, this keeps the commit from waiting for the disk. Only for records that a crash of the
 * database server may lose, because repeating the work restores them. Deliveries themselves are never written this way.
 */
const withoutFlush = `(select set_config('synchronous_commit', 'off', true)) as without_flush`;

/** The tables delivery, which is written once, and open_delivery, which lists what is still to be done. */
@Injectable()
export class DeliveriesStore {
  constructor(private readonly db: Db) {}

  /**
   * Keeps a group of deliveries durably, each once by its identity. The unique object name settles which of two
   * deliveries of one profile and second gets which name, over all replicas.
   * @param leaseMs how long background work leaves the new ones to the process that received them
   */
  async insert(group: readonly IncomingDelivery[], leaseMs: number): Promise<InsertedDelivery[]> {
    const results = new Map<IncomingDelivery, InsertedDelivery>();
    // Always in one order, so that groups that share a delivery wait for one another instead of deadlocking.
    let open = group.toSorted((one, other) => (one.identity < other.identity ? -1 : 1));
    for (let twin = 1; open.length > 0; twin++) {
      if (twin > twinMax) throw new Error(`more than ${twinMax} deliveries of one profile in one second`);
      open = await this.insertUnderName(open, { twin, leaseMs }, results);
    }
    return group.map((delivery) => results.get(delivery)!);
  }

  /** One attempt with the names of one twin number. Returns the deliveries whose name was taken. */
  private async insertUnderName(
    open: readonly IncomingDelivery[],
    { twin, leaseMs }: { twin: number; leaseMs: number },
    results: Map<IncomingDelivery, InsertedDelivery>,
  ): Promise<IncomingDelivery[]> {
    const nameOf = ({ networkUsername, receivedAt }: IncomingDelivery) =>
      backupObjectName(networkUsername, receivedAt, twin);
    // The bodies are not returned, since they were given here.
    const inserted = await this.db.rows<{ id: string; identity: string; object_name: string }>(
      `with inserted as (
         insert into delivery(identity, network_username, month, correlation_id, received_at, request_status, reason, body, object_name)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::json[], $9::text[])
         on conflict do nothing
         returning id, identity, object_name, received_at, octet_length(body::text) as body_bytes
       ), opened as (
         insert into open_delivery(id, received_at, body_bytes, due_at)
         select id, received_at, body_bytes, now() + $10 * interval '1 millisecond' from inserted
       )
       select id::text, identity, object_name from inserted`,
      [
        open.map(({ identity }) => identity),
        open.map(({ networkUsername }) => networkUsername),
        open.map(({ month }) => month),
        open.map(({ correlationId }) => correlationId ?? null),
        open.map(({ receivedAt }) => receivedAt.toISOString()),
        open.map(({ requestStatus }) => requestStatus),
        open.map(({ reason }) => reason ?? null),
        open.map(({ body }) => body),
        open.map(nameOf),
        leaseMs,
      ],
    );
    const newRows = new Map(inserted.map((row) => [row.identity, row]));
    const skipped = open.filter(({ identity }) => !newRows.has(identity));
    const known = new Map((await this.findByIdentity(skipped)).map((row) => [row.identity, toDelivery(row)]));
    for (const delivery of open) {
      const row = newRows.get(delivery.identity);
      // Of two equal deliveries in one group one is new: the first whose name was free.
      if (!row || row.object_name !== nameOf(delivery) || known.has(delivery.identity)) continue;
      const kept = newDelivery(delivery, row);
      known.set(delivery.identity, kept);
      results.set(delivery, { delivery: kept, isNew: true });
    }
    const taken: IncomingDelivery[] = [];
    for (const delivery of open) {
      const found = known.get(delivery.identity);
      if (!found) taken.push(delivery);
      else if (!results.has(delivery)) results.set(delivery, { delivery: found, isNew: false });
    }
    return taken;
  }

  private async findByIdentity(deliveries: readonly IncomingDelivery[]): Promise<DeliveryRow[]> {
    if (deliveries.length === 0) return [];
    return this.db.rows<DeliveryRow>(
      `select ${columns}, coalesce(o.attempts, 0) as attempts, coalesce(o.is_stored, true) as is_stored,
         coalesce(o.is_backed_up, true) as is_backed_up
       from delivery d left join open_delivery o using (id) where identity = any($1)`,
      [deliveries.map(({ identity }) => identity)],
    );
  }

  /**
   * Claims deliveries that are due, oldest first, up to a number of rows and of bytes of bodies; the first is claimed
   * whatever its size. `skip locked` shares them among replicas. A lost claim is claimed again after the lease.
   */
  async claimDue(atMost: { rows: number; bytes: number }, leaseMs: number): Promise<KeptDelivery[]> {
    const rows = await this.db.rows<DeliveryRow>(
      `with due as (
         select id, body_bytes from open_delivery where due_at <= now() order by id limit $1 for update skip locked
       ), fitting as (
         select id from (select id, sum(body_bytes) over (order by id) - body_bytes as bytes_before from due) due where bytes_before < $2
       )
       update open_delivery o set due_at = now() + $3 * interval '1 millisecond'
       from fitting join delivery d using (id), ${withoutFlush}
       where o.id = d.id
       returning ${columns}, o.attempts, o.is_stored, o.is_backed_up`,
      [atMost.rows, atMost.bytes, leaseMs],
    );
    return rows.map(toDelivery);
  }

  /** Records that deliveries are stored and backed up. A lost record causes one more attempt, which changes nothing. */
  async recordFinished(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.db.affected(`delete from open_delivery o using ${withoutFlush} where o.id = any($1::bigint[])`, [ids]);
  }

  /** Records incomplete attempts. What was done stays done, even if an older attempt reports later. */
  async recordUnfinished(unfinished: readonly UnfinishedDelivery[]): Promise<void> {
    if (unfinished.length === 0) return;
    await this.db.affected(
      `update open_delivery o set
         is_stored = o.is_stored or u.is_stored,
         is_backed_up = o.is_backed_up or u.is_backed_up,
         attempts = o.attempts + 1,
         last_error = u.error,
         due_at = now() + u.retry_after_ms * interval '1 millisecond'
       from unnest($1::bigint[], $2::bool[], $3::bool[], $4::text[], $5::int[]) as u(id, is_stored, is_backed_up, error, retry_after_ms), ${withoutFlush}
       where o.id = u.id`,
      [
        unfinished.map(({ id }) => id),
        unfinished.map(({ isStored }) => isStored),
        unfinished.map(({ isBackedUp }) => isBackedUp),
        unfinished.map(({ error }) => error),
        unfinished.map(({ retryAfterMs }) => Math.round(retryAfterMs)),
      ],
    );
  }

  /** For each profile that has a delivery in that month its best one: a success before a failure, then the latest. */
  async listBest(month: string, networkUsernames: readonly string[], since: Date): Promise<ProfileDeliveryStatus[]> {
    const rows = await this.db.rows<{
      network_username: string;
      received_at: Date;
      request_status: 'SUCCESS' | 'FAILED';
      reason: string | null;
      stored: boolean;
      backed_up: boolean;
      correlation_id: string | null;
    }>(
      `select distinct on (network_username) network_username, d.received_at, request_status, d.correlation_id,
         coalesce(d.reason, o.last_error) as reason,
         coalesce(o.is_stored, true) as stored, coalesce(o.is_backed_up, true) as backed_up
       from delivery d left join open_delivery o using (id)
       where month = $1 and network_username = any($2) and d.received_at >= $3
       order by network_username, request_status = 'SUCCESS' desc, d.received_at desc`,
      [month, networkUsernames, since],
    );
    return rows.map((row) => ({ ...row, received_at: row.received_at.toISOString() }));
  }

  /** The deliveries of a profile in all months that are kept, latest first; read through delivery_profile_object. */
  async listOfProfile(
    networkUsername: string,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<DeliveryOfProfile[]> {
    return this.db.rows<DeliveryOfProfile>(
      `select ${historyColumns} from delivery d left join open_delivery o using (id)
       where network_username = $1 and ($2::text is null or object_name < $2) order by object_name desc limit $3`,
      [networkUsername, after ?? null, limit],
    );
  }

  /** One of them, with the body as text. */
  async findOfProfile(
    networkUsername: string,
    id: string,
  ): Promise<(DeliveryOfProfile & { body: string }) | undefined> {
    const [found] = await this.db.rows<DeliveryOfProfile & { body: string }>(
      `select ${historyColumns}, d.body::text as body from delivery d left join open_delivery o using (id)
       where network_username = $1 and d.id = $2::bigint`,
      [networkUsername, id],
    );
    return found;
  }

  /** Age of the oldest delivery that has not reached both places, seconds; 0 when there is none. */
  async oldestUnfinishedSeconds(): Promise<number> {
    const [row] = await this.db.rows<{ seconds: number }>(
      `select coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as seconds from open_delivery`,
    );
    return row?.seconds ?? 0;
  }

  /** Removes deliveries of earlier months that are stored and backed up. Others are kept, however old. */
  async removeFinished(tx: Tx, before: { month: Month; start: Date }, limit: number): Promise<number> {
    return tx.affected(
      `delete from delivery where id in (
         select id from delivery
         where month < $1 and received_at < $2 and not exists (select from open_delivery where open_delivery.id = delivery.id)
         limit $3)`,
      [before.month, before.start, limit],
    );
  }
}

function newDelivery(incoming: IncomingDelivery, row: { id: string; object_name: string }): KeptDelivery {
  const { identity, networkUsername, receivedAt, requestStatus, body } = incoming;
  return {
    id: row.id,
    identity,
    networkUsername,
    receivedAt,
    requestStatus,
    body,
    objectName: row.object_name,
    attempts: 0,
    isStored: false,
    isBackedUp: false,
  };
}

function toDelivery(row: DeliveryRow): KeptDelivery {
  return {
    id: row.id,
    identity: row.identity,
    networkUsername: row.network_username,
    receivedAt: row.received_at,
    requestStatus: row.request_status,
    body: row.body,
    objectName: row.object_name,
    attempts: row.attempts,
    isStored: row.is_stored,
    isBackedUp: row.is_backed_up,
  };
}
