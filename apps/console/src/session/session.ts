// Who is signed in: code flow with PKCE as a public client, and one access token for each resource. Tokens are in
// memory alone and bound to a key of the browser. After a reload the console asks identity again, which knows the
// session by its cookie.
import * as oauth from 'oauth4webapi';
import type { ServiceName, Settings } from '../settings';
import { browserKey, forgetBrowserKey } from './browser-key';

const resources = {
  identity: 'urn:tradewind:identity',
  data: 'urn:tradewind:data',
  pipelines: 'urn:tradewind:pipelines',
} as const;

type Resource = keyof typeof resources;

const resourceOf: Record<ServiceName, Resource> = {
  identity: 'identity',
  'graphql-gateway': 'data',
  interactions: 'pipelines',
  'priority-api': 'pipelines',
  'priority-webhook': 'pipelines',
  coordinator: 'pipelines',
};

const scope = 'openid profile email offline_access';
/** A token is renewed this long before it expires: a request must not travel longer. */
const renewBeforeMs = 30_000;
/** What outlives the redirect to identity and back. No token is ever stored. */
const startedKey = 'tradewind.sign-in';
const wasSignedInKey = 'tradewind.was-signed-in';

export interface SignedInUser {
  id: string;
  email: string;
  role: 'USER' | 'ANALYST' | 'ADMIN';
  companyId: string | undefined;
}

interface Started {
  verifier: string;
  state: string;
  nonce: string;
  /** Path and query to return to. */
  from: string;
}

interface Token {
  value: string;
  expiresMs: number;
}

/** The sign-in did not end with tokens; the message is for the person. */
export class SignInError extends Error {}

export class Session {
  private readonly tokens = new Map<Resource, Token>();
  private refreshToken: string | undefined;
  private idToken: string | undefined;
  /** Refreshes follow each other: each takes the refresh token that the one before got. */
  private renewal: Promise<unknown> = Promise.resolve();
  user: SignedInUser | undefined;
  /** Called when the sign-in has ended without the user's doing. */
  onEnd: () => void = () => undefined;

  private constructor(
    private readonly server: oauth.AuthorizationServer,
    private readonly client: oauth.Client,
    private readonly key: oauth.DPoPHandle,
    private readonly options: { [oauth.allowInsecureRequests]: boolean },
  ) {}

  static async open({ client_id, services }: Settings): Promise<Session> {
    const issuer = new URL(services.identity);
    // Only on a developer's machine; browsers send nothing from https to http.
    const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' };
    const [key, server] = await Promise.all([
      browserKey(),
      oauth
        .discoveryRequest(issuer, { algorithm: 'oidc', ...options })
        .then((response) => oauth.processDiscoveryResponse(issuer, response)),
    ]);
    const client: oauth.Client = { client_id };
    return new Session(server, client, oauth.DPoP(client, key), options);
  }

  /** Whether this tab was signed in before it was loaded. */
  get wasSignedIn(): boolean {
    return sessionStorage.getItem(wasSignedInKey) !== null;
  }

  /** Leaves the page for identity. */
  async signIn(from: string): Promise<void> {
    const started: Started = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      from,
    };
    sessionStorage.setItem(startedKey, JSON.stringify(started));
    const url = new URL(this.server.authorization_endpoint!);
    const parameters = {
      client_id: this.client.client_id,
      redirect_uri: redirectUri(),
      response_type: 'code',
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(started.verifier),
      code_challenge_method: 'S256',
      state: started.state,
      nonce: started.nonce,
      // The code is of no use without the key either (RFC 9449 10).
      dpop_jkt: await this.key.calculateThumbprint(),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    for (const resource of Object.values(resources)) url.searchParams.append('resource', resource);
    location.assign(url);
  }

  /**
   * Takes the answer of identity in the address of the page.
   * @returns where the user wanted to go
   */
  async finishSignIn(answer: URL): Promise<string> {
    const stored = sessionStorage.getItem(startedKey);
    sessionStorage.removeItem(startedKey);
    if (stored === null) throw new SignInError('This sign-in was not started in this tab.');
    // signIn wrote it.
    const { verifier, state, nonce, from } = JSON.parse(stored) as Started;
    let parameters: URLSearchParams;
    try {
      parameters = oauth.validateAuthResponse(this.server, this.client, answer, state);
    } catch (error) {
      if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
        throw new SignInError('You did not allow the console to use your account.', { cause: error });
      }
      throw new SignInError('Identity refused the sign-in.', { cause: error });
    }
    const response = await oauth.authorizationCodeGrantRequest(
      ...([this.server, this.client, oauth.None(), parameters, redirectUri(), verifier] as const),
      { DPoP: this.key, additionalParameters: { resource: resources.identity }, ...this.options },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(this.server, this.client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    this.keep('identity', tokens);
    sessionStorage.setItem(wasSignedInKey, '1');
    return from;
  }

  /** Calls a service as the user. Throws SignInError when the sign-in has ended. */
  async fetch(service: ServiceName, request: Request): Promise<Response> {
    const token = await this.tokenFor(resourceOf[service]);
    const url = new URL(request.url);
    const body = request.body === null ? undefined : await request.arrayBuffer();
    const send = async () =>
      oauth.protectedResourceRequest(token, request.method, url, request.headers, body, {
        DPoP: this.key,
        signal: request.signal,
        ...this.options,
      });
    try {
      return await send();
    } catch (error) {
      // The caller judges answers itself.
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
      throw error;
    }
  }

  /** Ends the session at identity too, which leads back to the console. */
  signOut(): void {
    const url = new URL(this.server.end_session_endpoint!);
    if (this.idToken !== undefined) url.searchParams.set('id_token_hint', this.idToken);
    url.searchParams.set('client_id', this.client.client_id);
    url.searchParams.set('post_logout_redirect_uri', `${location.origin}/`);
    this.forget();
    forgetBrowserKey();
    location.assign(url);
  }

  private forget(): void {
    this.tokens.clear();
    this.refreshToken = undefined;
    this.user = undefined;
    sessionStorage.removeItem(wasSignedInKey);
  }

  private async tokenFor(resource: Resource): Promise<string> {
    const isGood = () => (this.tokens.get(resource)?.expiresMs ?? 0) - renewBeforeMs > performance.now();
    if (!isGood()) {
      this.renewal = this.renewal.catch(afterCutOff).then(() => (isGood() ? undefined : this.renew(resource)));
      await this.renewal;
    }
    return this.tokens.get(resource)!.value;
  }

  private async renew(resource: Resource): Promise<void> {
    const { refreshToken } = this;
    if (refreshToken === undefined) throw this.ended();
    try {
      const response = await oauth.refreshTokenGrantRequest(this.server, this.client, oauth.None(), refreshToken, {
        DPoP: this.key,
        additionalParameters: { resource: resources[resource] },
        ...this.options,
      });
      this.keep(resource, await oauth.processRefreshTokenResponse(this.server, this.client, response));
    } catch (error) {
      // Somebody ended the session, disabled the user or took the grant away.
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') throw this.ended(error);
      throw error;
    }
  }

  private ended(cause?: unknown): SignInError {
    this.forget();
    this.onEnd();
    return new SignInError('Your sign-in has ended.', { cause });
  }

  private keep(resource: Resource, tokens: oauth.TokenEndpointResponse): void {
    this.tokens.set(resource, {
      value: tokens.access_token,
      expiresMs: performance.now() + (tokens.expires_in ?? 0) * 1000,
    });
    this.refreshToken = tokens.refresh_token ?? this.refreshToken;
    this.idToken = tokens.id_token ?? this.idToken;
    this.user = userOf(tokens.access_token);
  }
}

/** Longer than a page lives on once it is being left, milliseconds. */
const cutOffPauseMs = 1000;

/**
 * A renewal that the browser cuts off, since the page is being left, has used up its refresh token. The next one with
 * that token would make identity take away the grant, so it waits until the page is gone.
 */
async function afterCutOff(error: unknown): Promise<void> {
  // An answer of identity, whatever it says, was not cut off.
  if (error instanceof oauth.ResponseBodyError || error instanceof SignInError) return;
  await new Promise((resolve) => setTimeout(resolve, cutOffPauseMs));
}

const redirectUri = () => `${location.origin}/signed-in`;

/** For the page alone: which screens are of use. The services decide what the user may do. */
function userOf(token: string): SignedInUser {
  const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, string | undefined>;
  return {
    id: claims['sub']!,
    email: claims['email']!,
    role: claims['userRole'] as SignedInUser['role'],
    companyId: claims['user_company_id'],
  };
}
