import { readFile } from 'node:fs/promises';
import type { Client } from '@opensearch-project/opensearch';

export interface OpenSearchAddress {
  /** May hold user and password. */
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  /** PEM file of the authority that signed the certificate of the cluster; those of the system unless given. */
  caFile?: string | undefined;
}

/**
 * A client for the engine and for the feeder. It is loaded when it is needed, because it takes 27 MiB.
 * @throws when the file cannot be read
 */
export async function connectOpenSearch({ url, username, password, caFile }: OpenSearchAddress): Promise<Client> {
  const { Client } = await import('@opensearch-project/opensearch');
  return new Client({
    node: url,
    ...(username !== undefined && { auth: { username, password: password ?? '' } }),
    ...(caFile !== undefined && { ssl: { ca: await readFile(caFile) } }),
    // Ids may be larger than 2^53. Whoever asks decides what to do after a failure.
    maxRetries: 0,
    enableLongNumeralSupport: true,
  });
}
