// The configuration of the OpenID provider: every deviation from the library's defaults, with its reason.
import { errors, interactionPolicy, type Adapter, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { AppConfig } from '../app.config.js';
import type { KeySet } from '../signing-keys/signing-key.entity.js';
import type { User } from '../users/users.types.js';
import { cookieNames } from '../cookies.js';
import { errorPageOrJson } from '../pages/error-pages.js';
import { Signatures } from '../signatures.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { accountClient, accountClientId, assertMayHaveTokens, grantOfSession } from './account-client.js';
import { acrValues, lacksSecondFactor } from './policy/authentication.js';
import { claimsOf, claimsOfScopes, companyClaim } from './policy/claims.js';
import { consentOnce } from './middleware/authorization.js';
import type { LogoutCalls } from './logout-calls.js';
import type { AccessTokenAdapter } from './payloads/access-token-adapter.js';
import type { ClientAdapter } from './payloads/client-adapter.js';
import { logoutUriFault } from '../clients/logout-uri-policy.js';
import { redirectUriKind } from '../clients/redirect-uri-policy.js';
import { assertAllowed, resourceServer, scopes } from './policy/resources.js';
import { routes } from './policy/routes.js';
import { renderSignedOut, renderSignOut } from './policy/sign-out.js';

/** The member of an interaction's result with which somebody who is signed in asks to sign in as somebody else. */
export const switchAccount = 'switch_account';

/** The client metadata field by which an operator lets a resource server introspect the tokens made for it. */
export const introspectsAudience = 'introspects_audience';

const clientNameLengthMax = 100;
const redirectUrisMax = 20;
const uriLengthMax = 2000;

export interface ProviderNeeds {
  config: AppConfig;
  keySet: KeySet;
  clients: ClientAdapter;
  accessTokens: AccessTokenAdapter;
  /** The storage of every other model. */
  rowsOf: (model: string) => Adapter;
  findUser: (id: string) => Promise<User | undefined>;
  logoutCalls: LogoutCalls;
}

export function providerConfiguration(needs: ProviderNeeds): Configuration {
  const { config, keySet, clients, accessTokens, findUser } = needs;
  const issuer = config.OAUTH_ISSUER;
  const findActiveUser = async (id: string): Promise<User | undefined> => {
    const user = await findUser(id);
    return user && !user.isDisabled ? user : undefined;
  };

  return {
    adapter: (model: string) => {
      if (model === 'Client') return clients;
      return model === 'AccessToken' ? accessTokens : needs.rowsOf(model);
    },
    clients: [accountClient(issuer)],
    loadExistingGrant: grantOfSession,
    // The first key that fits signs; all are published.
    jwks: { keys: keySet.keys.map((key) => key.privateJwk) },
    routes,
    scopes: [...scopes],
    // The others are claims of ID tokens alone, and none of the user's.
    claims: { ...claimsOfScopes, openid: [...claimsOfScopes.openid, 'at_hash', 'acr', 'amr', 'auth_time'] },
    acrValues: Object.values(acrValues),
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none', 'private_key_jwt'],
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'RS256',
    },
    extraClientMetadata: {
      // The second property is no metadata: it makes the validator run for every client.
      properties: [introspectsAudience, 'urn:tradewind:redirect-policy'],
      validator: (ctx, key, value, metadata) => {
        if (key === introspectsAudience) return assertIntrospectsAudience(ctx, value);
        // Stored clients remain valid: only what the request sends is checked.
        if (isRegistration(ctx)) {
          assertModest(ctx?.oidc.body ?? {});
          assertNothingToRead(ctx?.oidc.body ?? {});
          assertLogoutUri(ctx?.oidc.body ?? {}, config);
        }
        // Ours is where the issuer is.
        if (metadata.client_id !== accountClientId) applyRedirectPolicy(metadata);
        assertPlainName(ctx, metadata.client_name);
      },
    },

    // PKCE protects public clients, and protects confidential ones against code injection (RFC 9700 2.1.1).
    pkce: { required: () => true },
    // The second use of a refresh token ends the grant (RFC 9700 4.14).
    rotateRefreshToken: true,
    ttl: {
      AuthorizationCode: config.CODE_TTL_SECONDS,
      AccessToken: config.ACCESS_TOKEN_TTL_SECONDS,
      IdToken: config.ID_TOKEN_TTL_SECONDS,
      Grant: config.GRANT_TTL_SECONDS,
      Interaction: config.INTERACTION_TTL_SECONDS,
      // Without a user it only remembers the question of a sign-out.
      Session: (_ctx, { accountId }) =>
        accountId === undefined ? config.INTERACTION_TTL_SECONDS : config.SESSION_TTL_SECONDS,
      // Sliding, but never past the user's consent.
      RefreshToken: (ctx) =>
        Math.max(1, Math.min(config.REFRESH_TOKEN_TTL_SECONDS, ctx.oidc.entities.Grant?.remainingTTL ?? Infinity)),
    },

    cookies: {
      names: cookieNames(issuer),
      keys: new Signatures(config.COOKIE_KEYS),
      // Lax is enough: a login begins with a GET navigation, or with a POST that middleware/authorization.ts makes one.
      long: { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true },
      short: { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true },
    },
    interactions: {
      policy: prompts(config, findActiveUser),
      url: (_ctx, interaction) => `/login/${interaction.uid}`,
    },
    findAccount: async (_ctx, id) => {
      const user = await findActiveUser(id);
      return (
        user && {
          accountId: user.id,
          // The provider hashes the access token that it issues with the ID token (OpenID Connect Core 3.1.3.6).
          claims: (use) => ({
            ...claimsOf(user),
            ...(use === 'id_token' ? { at_hash: unitOfWork().issuedAccessToken } : {}),
          }),
        }
      );
    },
    // For errors that must not be sent to a redirect URI.
    renderError: (ctx, out) => errorPageOrJson(ctx, out),
    extraParams: [consentOnce],

    extraTokenClaims: async (_ctx, token) => {
      const user = 'accountId' in token && token.accountId ? await findActiveUser(token.accountId) : undefined;
      return user && { email: user.email, userRole: user.userRole, ...companyClaim(user) };
    },
    // The provider awaits this before it signs the token; the row is stored before the response leaves.
    formats: {
      customizers: {
        jwt: (_ctx, token, { payload }) => {
          assertMayHaveTokens(token);
          return accessTokens.storeIssued(token, payload);
        },
      },
    },

    // A browser app may call from the origins of its redirect URIs.
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri: string) => URL.parse(uri)?.origin === origin),

    // Only for the calls that report the end of a session: it reads no address that a client names.
    fetch: needs.logoutCalls.accept,

    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => renderSignOut(ctx, findActiveUser),
        postLogoutSuccessSource: renderSignedOut,
      },
      backchannelLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? issuer,
        useGrantedResource: () => true,
        // Called for an authorization request, when it is resumed, for a code exchange and for every refresh.
        getResourceServerInfo: async (_ctx, resource, client) => {
          const server = resourceServer(resource, config);
          if (server.audience !== issuer) assertAllowed(server.audience, await clients.rightsOf(client.clientId));
          return server;
        },
      },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => {
          const { accountId, aud } = token as { accountId?: string; aud?: unknown };
          if (accountId !== undefined && !(await findActiveUser(accountId))) return false;
          return token.clientId === client.clientId || (aud !== undefined && client[introspectsAudience] === aud);
        },
      },
      revocation: {
        enabled: true,
        // Only the client's own tokens. A public client is not told that a token exists (RFC 7009 2.1).
        allowedPolicy: (_ctx, client, token) => {
          if (token.clientId === client.clientId) return true;
          if (client.clientAuthMethod === 'none') return false;
          throw new errors.InvalidRequest('client is not authorized to revoke the presented token');
        },
      },
      registration: {
        enabled: config.OAUTH_DYNAMIC_REGISTRATION,
        initialAccessToken: config.REGISTRATION_INITIAL_TOKEN || false,
      },
      registrationManagement: {
        enabled: config.OAUTH_DYNAMIC_REGISTRATION,
        rotateRegistrationAccessToken: true,
      },
      dPoP: { enabled: config.DPOP },
      pushedAuthorizationRequests: {
        enabled: config.PAR !== 'off',
        requirePushedAuthorizationRequests: config.PAR === 'required',
      },
    },
  };
}

/**
 * What users are asked, in this order. Only a client can ask for the choice of an account. A consent that only
 * offline_access requires (middleware/authorization.ts) is asked for once. The later checks find out whether the user
 * has already allowed these scopes and resources.
 */
function prompts(
  config: AppConfig,
  findUser: (id: string) => Promise<User | undefined>,
): interactionPolicy.DefaultPolicy {
  const { Check, Prompt } = interactionPolicy;
  const policy = interactionPolicy.base();
  policy.get('login')?.checks.add(
    new Check('second_factor', 'the user has to sign in with a second factor', 'login_required', async ({ oidc }) => {
      const { session } = oidc;
      if (!config.SECOND_FACTOR_FOR_ADMIN || session?.accountId === undefined) return false;
      const user = await findUser(session.accountId);
      return user !== undefined && lacksSecondFactor(user, session.acr, config);
    }),
  );
  policy.get('login')?.checks.add(
    new Check('switch_account', 'the user wants to sign in with another account', ({ oidc }) => {
      const { login, [switchAccount]: wanted } = (oidc.result ?? {}) as Record<string, unknown>;
      return wanted !== undefined && login === undefined;
    }),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  const checks = policy.get('consent')?.checks;
  checks?.remove('consent_prompt');
  checks?.add(
    new Check('consent_prompt', 'consent prompt was not resolved', 'consent_required', ({ oidc }) => {
      return oidc.promptPending('consent') && oidc.params?.[consentOnce] === undefined;
    }),
    0,
  );
  return policy;
}

/** Whether a client registers or updates itself. */
function isRegistration(ctx: KoaContextWithOIDC | undefined): boolean {
  const route = ctx?.oidc.route ?? '';
  return route.startsWith('registration') || route.startsWith('client');
}

/** Limits above what any client needs: the client's row is read with each of its tokens. */
function assertModest({ client_name: name, ...metadata }: Record<string, unknown>): void {
  if (typeof name === 'string' && name.length > clientNameLengthMax) {
    throw new errors.InvalidClientMetadata(`client_name must have at most ${clientNameLengthMax} characters`);
  }
  for (const field of ['redirect_uris', 'post_logout_redirect_uris']) {
    const uris = metadata[field];
    if (!Array.isArray(uris)) continue;
    if (uris.length > redirectUrisMax) {
      throw new errors.InvalidClientMetadata(`a client must have at most ${redirectUrisMax} ${field}`);
    }
    if (uris.some((uri) => typeof uri === 'string' && uri.length > uriLengthMax)) {
      throw new errors.InvalidClientMetadata(`each of the ${field} must have at most ${uriLengthMax} characters`);
    }
  }
}

/** The library's own checks report anything that is not a text. */
export function assertLogoutUri({ backchannel_logout_uri: uri }: Record<string, unknown>, config: AppConfig): void {
  if (typeof uri !== 'string') return;
  const fault =
    uri.length > uriLengthMax
      ? `must have at most ${uriLengthMax} characters`
      : logoutUriFault(uri, config.LOGOUT_CALLS_TO_LOOPBACK);
  if (fault !== undefined) throw new errors.InvalidClientMetadata(`backchannel_logout_uri ${fault}`);
}

/** Addresses that identity would have to read, and does not. */
function assertNothingToRead({ jwks_uri: keys, sector_identifier_uri: sector }: Record<string, unknown>): void {
  if (keys !== undefined) {
    throw new errors.InvalidClientMetadata('jwks_uri is not read by this service: send the keys themselves as jwks');
  }
  if (sector !== undefined) {
    throw new errors.InvalidClientMetadata('sector_identifier_uri is not read by this service: subjects are public');
  }
}

/** Only an operator may let a client introspect the tokens of others. */
function assertIntrospectsAudience(ctx: KoaContextWithOIDC | undefined, value: unknown): void {
  if (value === undefined) return;
  if (isRegistration(ctx) || typeof value !== 'string') {
    throw new errors.InvalidClientMetadata(`${introspectsAudience} cannot be registered`);
  }
}

function applyRedirectPolicy(metadata: {
  redirect_uris?: unknown;
  post_logout_redirect_uris?: unknown;
  application_type?: string;
}): void {
  for (const field of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    const uris = metadata[field];
    // The library's own checks report anything that is not a list of texts.
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) continue;
    const kinds = uris.map(redirectUriKind);
    if (kinds.includes(undefined)) {
      throw new errors.InvalidClientMetadata(
        `${field} must be https, http on loopback, or a private-use scheme with a dot, and have no fragment`,
      );
    }
    if (kinds.includes('private-use')) metadata.application_type = 'native';
  }
}

/**
 * The consent page shows the name inside a sentence, and a character that reverses the direction of writing could
 * change its meaning. Only a name that the request sends is checked; stored clients remain valid.
 */
function assertPlainName(ctx: KoaContextWithOIDC | undefined, name: unknown): void {
  if (!isRegistration(ctx) || typeof name !== 'string' || ctx?.oidc.body?.['client_name'] !== name) return;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw new errors.InvalidClientMetadata(
      'client_name must not hold control characters or such as change the direction of writing',
    );
  }
}
