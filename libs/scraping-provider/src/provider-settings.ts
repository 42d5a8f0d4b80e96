// Settings of the scraping provider, shared by every app that calls it. Spread into the app's own configuration.

interface Options<T> {
  default?: T;
  devDefault?: T;
  desc: string;
}

const str = <const O extends Options<string>>(options: O) => ({
  ...options,
  kind: 'text',
  parse: (input: string) => input,
});

const url = <const O extends Options<string>>(options: O) => ({
  ...options,
  kind: 'URL',
  parse: (input: string) => {
    if (!URL.canParse(input)) throw new Error('must be an absolute URL');
    return input;
  },
});

const integer = <const O extends Options<number> & { min: number }>(options: O) => ({
  ...options,
  kind: `integer, at least ${options.min}`,
  parse: (input: string) => {
    const value = Number(input);
    if (!/^\d+$/.test(input.trim()) || value < options.min) {
      throw new Error(`must be a whole number of at least ${options.min}, not "${input}"`);
    }
    return value;
  },
});

export const providerSettings = {
  PROVIDER_BASE_URL: url({
    default: 'https://api.apify.com',
    devDefault: 'http://127.0.0.1:4010',
    desc: 'Address of the scraping provider, without /v2',
  }),
  PROVIDER_TOKEN: {
    ...str({
      devDefault: 'dev-only-provider-token',
      desc: 'Credential at the scraping provider, sent as bearer token',
    }),
    // Masked in logs, messages and tables; given to a deployment by reference.
    secret: true,
    kind: 'secret',
  },
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
export interface ProviderSettings {
  PROVIDER_BASE_URL: string;
  PROVIDER_TOKEN: string;
  PROVIDER_ACTOR: string;
  PROVIDER_NETWORK_URL: string;
  PROVIDER_TIMEOUT_MS: number;
  PROVIDER_RETRIES: number;
  PROVIDER_RETRY_DELAY_MS: number;
  PROVIDER_NO_CAPACITY_DELAY_MS: number;
  PROVIDER_SLOTS: number;
}
