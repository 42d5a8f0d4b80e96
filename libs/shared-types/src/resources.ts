/** The audiences of access tokens that services of the platform accept (RFC 8707), by what they open. */
export const platformResource = {
  /** Interactions, priority services and coordinator. */
  pipelines: 'urn:tradewind:pipelines',
  /** REST of the gateway: keys and usage. */
  data: 'urn:tradewind:data',
  /** Administration and account APIs of identity. */
  identity: 'urn:tradewind:identity',
} as const;
