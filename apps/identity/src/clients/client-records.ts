// How a client's metadata (RFC 7591) becomes a row and back. The secret leaves the metadata and is stored sealed:
// registration management must be able to show it, so a hash is not enough.
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SealedText } from '../sealed-text.js';
import type { ClientRights } from './oauth-client.entity.js';

export interface ClientRecord {
  metadata: Record<string, unknown>;
  secretSealed: string | null;
}

/** A client as the provider sees it. */
export interface KnownClient {
  /** JSON text, the secret included. */
  metadata: string;
  rights: ClientRights;
}

export interface StoredClient {
  clientId: string;
  metadata: string;
  secretSealed: string | null;
  rights: ClientRights;
}

/** SQL for a `StoredClient` in one column; null when an outer join found none. */
export const clientColumn = (alias: string): string =>
  `case when ${alias}.client_id is not null then json_build_object(
     'clientId', ${alias}.client_id, 'metadata', ${alias}.metadata, 'secretSealed', ${alias}.secret_sealed,
     'rights', json_build_object('origin', ${alias}.origin, 'resources', ${alias}.resources)) end`;

const context = (clientId: string): string => `client_secret of ${clientId}`;

@Injectable()
export class ClientRecords {
  // Clients are read with every token, and to open a secret takes an AES pass and the JSON twice. The key is the stored
  // values themselves, so an entry is never stale.
  private readonly opened = new LRUCache<string, string>({ max: 1000 });

  constructor(private readonly sealedText: SealedText) {}

  toRecord(clientId: string, { client_secret: secret, ...metadata }: Record<string, unknown>): ClientRecord {
    const secretSealed = typeof secret === 'string' ? this.sealedText.seal(secret, context(clientId)) : null;
    return { metadata, secretSealed };
  }

  open({ clientId, metadata, secretSealed, rights }: StoredClient): KnownClient {
    if (secretSealed === null) return { metadata, rights };
    const key = `${secretSealed} ${metadata}`;
    let full = this.opened.get(key);
    if (full === undefined) {
      const secret = this.sealedText.open(secretSealed, context(clientId));
      full = JSON.stringify({ ...(JSON.parse(metadata) as object), client_secret: secret });
      this.opened.set(key, full);
    }
    return { metadata: full, rights };
  }
}
