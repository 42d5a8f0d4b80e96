import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { ClientRecords } from '../../clients/client-records.js';
import type { ClientsStore } from '../../clients/clients.store.js';
import type { UnitOfWorkStore } from '../../unit-of-work/unit-of-work.store.js';
import { currentUnitOfWork, UnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { isStorableText } from './payload-keys.js';

/** The storage of clients: a table of their own, with the secret sealed and without an expiry. */
export class ClientAdapter implements Adapter {
  constructor(
    private readonly store: ClientsStore,
    private readonly records: ClientRecords,
    private readonly units: UnitOfWorkStore,
  ) {}

  async upsert(clientId: string, payload: AdapterPayload): Promise<void> {
    const record = this.records.toRecord(clientId, { ...payload });
    const unit = currentUnitOfWork() ?? new UnitOfWork();
    unit.clientUpserts.set(clientId, { clientId, ...record });
    unit.clients.set(clientId, JSON.stringify(payload));
    if (!currentUnitOfWork()) await this.units.commit(unit);
  }

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    if (!isStorableText(clientId)) return undefined;
    const unit = currentUnitOfWork();
    if (unit?.clients.has(clientId)) {
      const metadata = unit.clients.get(clientId);
      return metadata === undefined ? undefined : parse(metadata);
    }
    const found = await this.store.findMetadata(clientId);
    unit?.clients.set(clientId, found?.metadata);
    if (found) unit?.clientRights.set(clientId, found.rights);
    return found && parse(found.metadata);
  }

  /** Its grants, tokens and pending requests go with it. */
  async destroy(clientId: string): Promise<void> {
    const unit = currentUnitOfWork() ?? new UnitOfWork();
    unit.clientRemovals.add(clientId);
    unit.clients.set(clientId, undefined);
    if (!currentUnitOfWork()) await this.units.commit(unit);
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
}

const parse = (text: string): AdapterPayload => JSON.parse(text) as AdapterPayload;
