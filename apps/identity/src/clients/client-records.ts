// How a client's metadata (RFC 7591) becomes a row and back. The secret leaves the metadata and is stored sealed:
// registration management must be able to show it, so a hash would not do.
import { Injectable } from '@nestjs/common';
import { SealedText } from '../sealed-text.js';

export interface ClientRecord {
  metadata: string;
  secretSealed: string | null;
}

const context = (clientId: string): string => `client_secret of ${clientId}`;

@Injectable()
export class ClientRecords {
  // Opening a secret costs an AES pass and the JSON twice; clients are read with every token. Keyed by the stored
  // values themselves, so an entry can never be stale. The oldest entries go first.
  private readonly opened = new Map<string, string>();
  private readonly openedMax = 1000;

  constructor(private readonly sealedText: SealedText) {}

  toRecord(clientId: string, metadata: Record<string, unknown>): ClientRecord {
    const { client_secret: secret, ...rest } = metadata;
    return {
      metadata: JSON.stringify(rest),
      secretSealed: typeof secret === 'string' ? this.sealedText.seal(secret, context(clientId)) : null,
    };
  }

  /** The metadata as JSON text, the secret included. */
  toMetadata(clientId: string, metadata: string, secretSealed: string | null): string {
    if (secretSealed === null) return metadata;
    const key = `${secretSealed} ${metadata}`;
    let full = this.opened.get(key);
    if (full === undefined) {
      const secret = this.sealedText.open(secretSealed, context(clientId));
      full = JSON.stringify({ ...(JSON.parse(metadata) as object), client_secret: secret });
      if (this.opened.size >= this.openedMax) this.opened.delete(this.opened.keys().next().value as string);
      this.opened.set(key, full);
    }
    return full;
  }
}
