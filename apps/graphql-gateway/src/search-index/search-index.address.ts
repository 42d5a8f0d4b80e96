import type { OpenSearchAddress } from '@tradewind/filter-engine';
import { OperatorError } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';

/** @throws OperatorError without OPENSEARCH_URL */
export function openSearchAddress(config: AppConfig): OpenSearchAddress {
  if (config.OPENSEARCH_URL === undefined) throw new OperatorError('OPENSEARCH_URL is not set');
  return {
    url: config.OPENSEARCH_URL,
    username: config.OPENSEARCH_USER,
    password: config.OPENSEARCH_PASSWORD,
    caFile: config.OPENSEARCH_CA_FILE,
  };
}
