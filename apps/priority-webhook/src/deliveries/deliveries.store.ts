import { Injectable } from '@nestjs/common';
import type { Month, ProfileDeliveryStatus } from '@tradewind/shared-types';
import { DataSource, type EntityManager } from 'typeorm';
import { backupObjectName } from './backup-object-name.js';
import type { IncomingDelivery, KeptDelivery } from './delivery.types.js';

/** How far apart two twins of one second can be numbered; more than this many is no accident. */
const twinMax = 1000;

/** What became of one delivery of a group. */
export interface InsertedDelivery {
  delivery: KeptDelivery;
  /** False: the same delivery had been received before, and nothing was added. */
  isNew: boolean;
}

/** What became of one attempt to store. */
export interface DeliveryOutcome {
  id: string;
  isStored: boolean;
  isBackedUp: boolean;
  error: string | null;
  /** Wait before the next attempt, when anything is left to do. */
  retryAfterMs: number;
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

const columns = `id::text, identity, network_username, received_at, request_status, body::text as body, object_name, attempts,
  stored_at is not null as is_stored, backed_up_at is not null as is_backed_up`;

/**
 * In the `from` of a statement: its commit does not wait for the disk. Only for what may be lost in a crash of the
 * database server and is found out again by a repeat that changes nothing; a delivery itself is never written so.
 */
const withoutFlush = `(select set_config('synchronous_commit', 'off', true)) as without_flush`;

/** All SQL of the table delivery. */
@Injectable()
export class DeliveriesStore {
  constructor(private readonly db: DataSource) {}

  /**
   * Keeps a group of deliveries durably, each once by its identity. The unique object name settles which of two
   * deliveries of one profile and second gets which name, over all replicas.
   */
  async insert(group: readonly IncomingDelivery[]): Promise<InsertedDelivery[]> {
    const results = new Map<IncomingDelivery, InsertedDelivery>();
    let open = [...group];
    for (let twin = 1; open.length > 0; twin++) {
      if (twin > twinMax) throw new Error(`more than ${twinMax} deliveries of one profile in one second`);
      open = await this.insertUnderName(open, twin, results);
    }
    return group.map((delivery) => results.get(delivery)!);
  }

  /** One attempt with the names of one twin number; answers the deliveries whose name was taken. */
  private async insertUnderName(
    open: readonly IncomingDelivery[],
    twin: number,
    results: Map<IncomingDelivery, InsertedDelivery>,
  ): Promise<IncomingDelivery[]> {
    const nameOf = ({ networkUsername, receivedAt }: IncomingDelivery) =>
      backupObjectName(networkUsername, receivedAt, twin);
    // The bodies need not come back: what was inserted is what was given.
    const inserted = await this.db.query<{ id: string; identity: string; object_name: string }[]>(
      `insert into delivery(identity, network_username, month, correlation_id, received_at, request_status, reason, body, object_name, due_at)
       select identity, network_username, month, correlation_id, received_at, request_status, reason, body, object_name,
         now() + lease_ms * interval '1 millisecond'
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::json[], $9::text[], $10::int[])
         as d(identity, network_username, month, correlation_id, received_at, request_status, reason, body, object_name, lease_ms)
       on conflict do nothing
       returning id::text, identity, object_name`,
      [
        open.map(({ identity }) => identity),
        open.map(({ networkUsername }) => networkUsername),
        open.map(({ month }) => month),
        open.map(({ correlationId }) => correlationId ?? null),
        open.map(({ receivedAt }) => receivedAt),
        open.map(({ requestStatus }) => requestStatus),
        open.map(({ reason }) => reason ?? null),
        open.map(({ body }) => body),
        open.map(nameOf),
        open.map(({ leaseMs }) => leaseMs),
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
    return this.db.query<DeliveryRow[]>(`select ${columns} from delivery where identity = any($1)`, [
      deliveries.map(({ identity }) => identity),
    ]);
  }

  /** Takes deliveries that are due, oldest first; skip locked shares them among replicas. A lost claim is claimed again. */
  async claimDue(limit: number, leaseMs: number): Promise<KeptDelivery[]> {
    const [rows] = await this.db.query<[DeliveryRow[], number]>(
      `update delivery d set due_at = now() + $2 * interval '1 millisecond'
       from (select id as due_id from delivery
             where (stored_at is null or backed_up_at is null) and due_at <= now()
             order by due_at limit $1 for update skip locked) due, ${withoutFlush}
       where d.id = due.due_id
       returning ${columns}`,
      [limit, leaseMs],
    );
    return rows.map(toDelivery);
  }

  /**
   * Records attempts. What was done stays done: a late report never undoes it. A lost record leads to one more attempt,
   * which both places recognise.
   */
  async recordOutcomes(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    await this.db.query(
      `update delivery d set
         stored_at = coalesce(d.stored_at, case when o.is_stored then now() end),
         backed_up_at = coalesce(d.backed_up_at, case when o.is_backed_up then now() end),
         attempts = d.attempts + 1,
         last_error = o.error,
         due_at = now() + o.retry_after_ms * interval '1 millisecond'
       from unnest($1::bigint[], $2::bool[], $3::bool[], $4::text[], $5::int[]) as o(id, is_stored, is_backed_up, error, retry_after_ms), ${withoutFlush}
       where d.id = o.id`,
      [
        outcomes.map(({ id }) => id),
        outcomes.map(({ isStored }) => isStored),
        outcomes.map(({ isBackedUp }) => isBackedUp),
        outcomes.map(({ error }) => error),
        outcomes.map(({ retryAfterMs }) => Math.round(retryAfterMs)),
      ],
    );
  }

  /** For each profile that has a delivery in that month its best one: a success before a failure, then the latest. */
  async listBest(month: string, networkUsernames: readonly string[], since: Date): Promise<ProfileDeliveryStatus[]> {
    const rows = await this.db.query<
      {
        network_username: string;
        received_at: Date;
        request_status: 'SUCCESS' | 'FAILED';
        reason: string | null;
        stored: boolean;
        backed_up: boolean;
      }[]
    >(
      `select distinct on (network_username) network_username, received_at, request_status,
         coalesce(reason, case when stored_at is null or backed_up_at is null then last_error end) as reason,
         stored_at is not null as stored, backed_up_at is not null as backed_up
       from delivery
       where month = $1 and network_username = any($2) and received_at >= $3
       order by network_username, request_status = 'SUCCESS' desc, received_at desc`,
      [month, networkUsernames, since],
    );
    return rows.map((row) => ({ ...row, received_at: row.received_at.toISOString() }));
  }

  /** Age of the oldest delivery that has not reached both places, seconds; 0 when there is none. */
  async oldestUnfinishedSeconds(): Promise<number> {
    const [row] = await this.db.query<{ seconds: number }[]>(
      `select coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as seconds
       from delivery where stored_at is null or backed_up_at is null`,
    );
    return row?.seconds ?? 0;
  }

  /** Removes deliveries of earlier months that have reached both places; what has not is kept however old. */
  async removeFinished(tx: EntityManager, before: { month: Month; start: Date }, limit: number): Promise<number> {
    const [, removed] = await tx.query<[unknown[], number]>(
      `delete from delivery where id in (
         select id from delivery
         where month < $1 and received_at < $2 and stored_at is not null and backed_up_at is not null
         order by received_at limit $3)`,
      [before.month, before.start, limit],
    );
    return removed;
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
