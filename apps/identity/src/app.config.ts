// Every setting of the identity service. Nothing else reads the environment.
import {
  bool,
  choice,
  configClass,
  databaseSettings,
  httpsOnly,
  integer,
  list,
  openApiSettings,
  secret,
  secretUrl,
  serviceTokenSettings,
  str,
  url,
} from '@tradewind/service-kit';
import { platformResource } from '@tradewind/shared-types';

const day = 86_400;

/** The audiences that the services of the platform accept; the consent page explains each. */
export const platformResources: string[] = Object.values(platformResource);

export class AppConfig extends configClass({
  ...databaseSettings({ schema: 'identity' }),
  ...serviceTokenSettings,
  ...openApiSettings,

  OAUTH_ISSUER: url({
    desc: 'Issuer identifier: the value of `iss` and the base of every endpoint URL, whatever the Host header says. No trailing slash.',
    example: 'https://id.example.com',
    devDefault: 'http://localhost:4000',
    productionRule: httpsOnly,
  }),
  OAUTH_RESOURCES: list({
    default: platformResources,
    desc: 'Resource indicators (RFC 8707) for which clients may get access tokens if an operator allows it, in addition to the issuer. Absolute URIs, separated by commas',
  }),
  OAUTH_DYNAMIC_REGISTRATION: bool({
    default: false,
    desc: 'Whether clients may register themselves (RFC 7591, 7592). Off: every /oauth/reg path is 404 and discovery does not mention it',
  }),
  REGISTRATION_INITIAL_TOKEN: secret({
    default: '',
    desc: 'Initial access token (RFC 7591) that a registration must present as Bearer; empty: registration is open',
  }),
  REGISTRATIONS_PER_IP_PER_HOUR: integer({
    default: 300,
    min: 1,
    desc: 'Registrations one network (IPv4 address, IPv6 /64) may make in an hour',
  }),
  LOGOUT_CALLS_TO_LOOPBACK: bool({
    default: false,
    defaultIn: { dev: true },
    deployedRule: (value) => (value ? 'must be false: clients are not on this host' : undefined),
    desc: 'Whether a client may name an address of this host as its backchannel_logout_uri. All others must be https on the internet',
  }),
  REGISTRATION_UNUSED_DAYS: integer({
    default: 30,
    min: 1,
    desc: 'A self-registered client that never received a token is removed after this many days',
  }),

  CODE_TTL_SECONDS: integer({ default: 60, min: 1, desc: 'Life of an authorization code, seconds' }),
  ACCESS_TOKEN_TTL_SECONDS: integer({
    default: 900,
    min: 1,
    desc: 'Life of an access token, seconds; also how long a resource server that only checks signatures may accept a revoked one',
  }),
  ID_TOKEN_TTL_SECONDS: integer({ default: 900, min: 1, desc: 'Life of an ID token, seconds' }),
  REFRESH_TOKEN_TTL_SECONDS: integer({
    default: 30 * day,
    min: 1,
    desc: 'Life of a refresh token, seconds; it starts again at every rotation but never exceeds that of the grant',
  }),
  REFRESH_TOKEN_REUSE_SECONDS: integer({
    default: 0,
    min: 0,
    max: 60,
    desc: 'Grace period after the use of a refresh token, seconds: the same client receives the same answer again. 0: a second use ends the grant at once',
  }),
  GRANT_TTL_SECONDS: integer({ default: 90 * day, min: 1, desc: "Life of a user's consent for one client, seconds" }),
  INTERACTION_TTL_SECONDS: integer({
    default: 900,
    min: 1,
    desc: 'Time a user has for each of login and consent, seconds',
  }),
  SESSION_TTL_SECONDS: integer({ default: 14 * day, min: 1, desc: 'Life of a browser session, seconds' }),
  DIRECT_LOGIN_TTL_SECONDS: integer({ default: 900, min: 1, desc: 'Life of a JWT of POST /auth/login, seconds' }),

  LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: integer({
    default: 10,
    min: 1,
    desc: 'Failed logins of one account from one network (IPv4 address, IPv6 /64) in the window before 429',
  }),
  LOGIN_FAILURES_PER_ACCOUNT: integer({
    default: 50,
    min: 1,
    desc: 'Failed logins of one account from all networks in the window before 429',
  }),
  LOGIN_FAILURES_PER_NETWORK: integer({
    default: 100,
    min: 1,
    desc: 'Failed logins from one network over all accounts in the window before 429',
  }),
  LOGIN_FAILURES_PER_KNOWN_BROWSER: integer({
    default: 10,
    min: 1,
    desc: 'Failed logins of a browser that signed in to the account before, in the window before 429; they count in no other limit',
  }),
  LOGIN_KNOWN_BROWSER_DAYS: integer({
    default: 180,
    min: 1,
    desc: 'Days after its last login for which a browser counts as known for the account',
  }),
  LOGIN_WINDOW_SECONDS: integer({ default: 900, min: 1, desc: 'Window of the failed-login limits, seconds' }),
  SECOND_FACTOR_FAILURES_PER_DAY: integer({
    default: 30,
    min: 1,
    desc: 'Wrong second factors of one account in a day before 429, in addition to the limits above; each browser that signed in before has a count of its own',
  }),
  SECOND_FACTOR_FOR_ADMIN: bool({
    default: false,
    desc: 'Whether an ADMIN needs a second factor; one who has none sets it up at the next sign-in, and cannot use POST /auth/login',
  }),
  PASSWORD_HASHES_PARALLEL: integer({
    default: 1,
    min: 1,
    desc: 'argon2id computations at the same time; each uses one core and 19 MiB, outside the event loop',
  }),
  PASSWORD_HASHES_WAITING: integer({
    default: 200,
    min: 1,
    desc: 'Logins that may wait for an argon2id computation, counted separately for known browsers and others; more are answered 503',
  }),

  SMTP_URL: secretUrl({
    default: undefined,
    desc: 'Mail server for invitations, forgotten passwords and the confirmation of addresses. Without it operators hand out the links',
    example: 'smtps://user:password@smtp.example.com',
  }),
  MAIL_FROM: str({
    default: undefined,
    defaultIn: { dev: 'Tradewind <no-reply@localhost>' },
    requiredWhen: (values) => values['SMTP_URL'] !== undefined,
    productionRule: (from) =>
      /[@.]localhost\b/i.test(from) ? 'must not be at localhost: receivers refuse such mails' : undefined,
    desc: 'Sender of these mails; needed with SMTP_URL outside dev',
    example: 'Tradewind <no-reply@example.com>',
  }),

  DPOP: bool({
    default: false,
    desc: 'Accept DPoP proofs (RFC 9449): tokens are then bound to a key of the client and useless to a thief',
  }),
  PAR: choice(['off', 'on', 'required'] as const, {
    default: 'off',
    desc: 'Pushed authorization requests (RFC 9126): clients send parameters directly, not through the browser; `required` refuses all others',
  }),

  COOKIE_KEYS: list({
    secret: true,
    devDefault: ['dev-only-cookie-key-not-for-production'],
    desc: 'Keys that sign cookies and CSRF tokens, separated by commas; the first signs, all verify. To rotate, add a new one in front',
  }),
  STORAGE_KEYS: list({
    secret: true,
    devDefault: ['dev-only-storage-key-not-for-production'],
    desc: 'Keys that encrypt signing keys and client secrets at rest, separated by commas; the first encrypts, all decrypt',
  }),
  SIGNING_KEY_MAX_AGE_DAYS: integer({
    default: 90,
    min: 1,
    desc: 'Age at which a signing key is rotated automatically, days',
  }),
  SIGNING_KEY_POLL_SECONDS: integer({
    default: 10,
    min: 1,
    desc: 'How often a replica looks for a rotation made elsewhere; a new key is published for twice this time before it signs',
  }),

  CLEANUP_INTERVAL_SECONDS: integer({ default: 60, min: 1, desc: 'Pause between two passes that delete expired rows' }),
  CLEANUP_BATCH_ROWS: integer({ default: 5000, min: 1, desc: 'Most rows that one delete of the clean-up removes' }),
  AUDIT_RETENTION_DAYS: integer({ default: 400, min: 1, desc: 'Age at which audit events are deleted, days' }),
}) {}
