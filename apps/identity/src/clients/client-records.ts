// How a client's metadata (RFC 7591) becomes a row and back. The secret leaves the metadata and is stored sealed:
// registration management must be able to show it, so a hash is not enough.
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SealedText } from '../sealed-text.js';

export interface ClientRecord {
  metadata: Record<string, unknown>;
  secretSealed: string | null;
}

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

  /** The metadata as JSON text, the secret included. */
  toMetadata(clientId: string, metadata: string, secretSealed: string | null): string {
    if (secretSealed === null) return metadata;
    const key = `${secretSealed} ${metadata}`;
    let full = this.opened.get(key);
    if (full === undefined) {
      const secret = this.sealedText.open(secretSealed, context(clientId));
      full = JSON.stringify({ ...(JSON.parse(metadata) as object), client_secret: secret });
      this.opened.set(key, full);
    }
    return full;
  }
}
