import type { ProviderSettings } from '../src/index.js';

/** Short times, so that faults are quick. */
export function testSettings(baseUrl: string): ProviderSettings {
  return {
    PROVIDER_BASE_URL: baseUrl,
    PROVIDER_TOKEN: 'secret-provider-token',
    PROVIDER_ACTOR: 'harvestapi~linkedin-profile-posts',
    PROVIDER_NETWORK_URL: 'https://network.example',
    // Long enough for a machine that is busy with other tests.
    PROVIDER_TIMEOUT_MS: 3_000,
    PROVIDER_RETRIES: 3,
    PROVIDER_RETRY_DELAY_MS: 5,
    PROVIDER_NO_CAPACITY_DELAY_MS: 1234,
    PROVIDER_SLOTS: 8,
  };
}
