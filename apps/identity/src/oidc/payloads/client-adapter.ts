import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { ClientRecords, KnownClient } from '../../clients/client-records.js';
import type { ClientsStore } from '../../clients/clients.store.js';
import type { ClientRights } from '../../clients/oauth-client.entity.js';
import { unitOfWork } from '../../unit-of-work/unit-of-work.js';
import { isStorableText } from './payload-adapter.js';

const rightsOfRegistered: ClientRights = { origin: 'registration', resources: [] };

/** The storage of clients: a table of their own, with the secret sealed and without an expiry. */
export class ClientAdapter implements Adapter {
  constructor(
    private readonly store: ClientsStore,
    private readonly records: ClientRecords,
  ) {}

  async upsert(clientId: string, payload: AdapterPayload): Promise<void> {
    const { clients, clientUpserts } = unitOfWork();
    clientUpserts.set(clientId, { clientId, ...this.records.toRecord(clientId, { ...payload }) });
    const rights = clients.get(clientId)?.rights ?? rightsOfRegistered;
    clients.set(clientId, { metadata: JSON.stringify(payload), rights });
  }

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    const known = await this.known(clientId);
    return known && (JSON.parse(known.metadata) as AdapterPayload);
  }

  /** What others decided about the client; a client that has just been deleted has no rights. */
  async rightsOf(clientId: string): Promise<ClientRights> {
    return (await this.known(clientId))?.rights ?? rightsOfRegistered;
  }

  /** Its grants, tokens and pending requests go with it. */
  async destroy(clientId: string): Promise<void> {
    const { clients, clientRemovals } = unitOfWork();
    clientRemovals.add(clientId);
    clients.set(clientId, undefined);
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {
    throw new Error('clients are not consumed');
  }

  async revokeByGrantId(): Promise<void> {
    throw new Error('clients have no grant');
  }

  private async known(clientId: string): Promise<KnownClient | undefined> {
    if (!isStorableText(clientId)) return undefined;
    const { clients } = unitOfWork();
    if (!clients.has(clientId)) clients.set(clientId, await this.store.findKnown(clientId));
    return clients.get(clientId);
  }
}
