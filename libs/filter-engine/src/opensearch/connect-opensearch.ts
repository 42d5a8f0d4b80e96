import type { Client } from '@opensearch-project/opensearch';

/**
 * A client for the engine and for the feeder. It is loaded when it is needed, because it takes 27 MiB.
 * @param url address of the cluster, with user and password if it wants them
 */
export async function connectOpenSearch(url: string): Promise<Client> {
  const { Client } = await import('@opensearch-project/opensearch');
  // Ids may be larger than 2^53. Whoever asks decides what to do after a failure.
  return new Client({ node: url, maxRetries: 0, enableLongNumeralSupport: true });
}
