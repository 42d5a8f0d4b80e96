// Settings of the scraping provider, shared by every app that calls it. Spread into the app's own configuration.
import { integer, secret, str, url, type ValueOf } from '@tradewind/shared-types';

export const providerSettings = {
  PROVIDER_BASE_URL: url({
    default: 'https://api.apify.com',
    devDefault: 'http://127.0.0.1:4010',
    desc: 'Address of the scraping provider, without /v2',
  }),
  PROVIDER_TOKEN: secret({
    devDefault: 'dev-only-provider-token',
    desc: 'Credential at the scraping provider, sent as bearer token',
  }),
  PROVIDER_ACTOR: str({
    default: 'harvestapi~linkedin-profile-posts',
    desc: 'Scraper that is run for interactions, as user~name',
  }),
  PROVIDER_NETWORK_URL: url({
    default: 'https://www.linkedin.com',
    desc: 'Address of the professional network; handles become addresses under it',
  }),
  PROVIDER_TIMEOUT_MS: integer({
    min: 1,
    default: 15_000,
    desc: 'Longest wait for one answer of the provider, milliseconds',
  }),
  PROVIDER_RETRIES: integer({
    min: 0,
    default: 4,
    desc: 'How often a call that is safe to repeat is repeated; starts are never repeated',
  }),
  PROVIDER_RETRY_DELAY_MS: integer({
    min: 0,
    default: 250,
    desc: 'Delay before the first repetition, milliseconds; doubles each time, with jitter',
  }),
  PROVIDER_NO_CAPACITY_DELAY_MS: integer({
    min: 0,
    default: 5_000,
    desc: 'Wait after "no capacity" when the provider names none, milliseconds',
  }),
  PROVIDER_SLOTS: integer({
    min: 1,
    default: 32,
    desc: 'Runs and scrapes that may be active at the provider at once; the plan of the account decides',
  }),
};

/** The values of `providerSettings`, as an app's configuration holds them. */
export type ProviderSettings = { [Name in keyof typeof providerSettings]: ValueOf<(typeof providerSettings)[Name]> };
