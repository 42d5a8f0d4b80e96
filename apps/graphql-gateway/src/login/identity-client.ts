// Client of the identity service: log-in and ended credentials. If identity does not answer, the caller gets a 502 and
// may try again. The check of an API key never depends on identity.
import { Injectable } from '@nestjs/common';
import {
  checkAccessToken,
  fetchJson,
  FetchJsonError,
  unauthenticated,
  type IdentityAddress,
} from '@tradewind/service-kit';
import { ServiceError, type AccessTokenCheck, type CredentialChangesPage } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { invalidToken } from './invalid-token.js';

/** Seconds that a throttled caller should wait if identity does not say how many. */
const throttledSecondsDefault = 60;

@Injectable()
export class IdentityClient {
  private readonly baseUrl: string;

  constructor(private readonly config: AppConfig) {
    this.baseUrl = identityAddress(config).url;
  }

  /** A direct-login JWT. Wrong credentials: 401; an account with a second factor: 403; too many attempts: 429. */
  async login(credentials: { email: string; password: string }, clientIp: string): Promise<string> {
    try {
      const { body } = await fetchJson<{ token?: unknown }>(`${this.baseUrl}/auth/login`, {
        method: 'POST',
        body: credentials,
        // The identity service throttles by the caller's address, not by ours.
        headers: { 'x-forwarded-for': clientIp },
        timeoutMs: this.config.IDENTITY_TIMEOUT_MS,
      });
      if (typeof body?.token !== 'string') throw identityUnavailable();
      return body.token;
    } catch (error) {
      throw loginFailure(error);
    }
  }

  /** Throws 401 unless identity still accepts the JWT: its user is not disabled and has the same password. */
  async assertLoggedIn(authorization: string): Promise<void> {
    try {
      await fetchJson(`${this.baseUrl}/auth/me`, {
        headers: { authorization },
        timeoutMs: this.config.IDENTITY_TIMEOUT_MS,
      });
    } catch (error) {
      if (error instanceof FetchJsonError && error.status === 401) throw invalidToken(error);
      throw identityUnavailable(error);
    }
  }

  /**
   * Whose access token it is; throws 401 for one that was revoked or whose user was disabled since. For what outlives
   * the token.
   */
  async assertActive(token: string): Promise<AccessTokenCheck & { active: true }> {
    const check = await checkAccessToken(identityAddress(this.config), token).catch((error: unknown) => {
      throw identityUnavailable(error);
    });
    if (check.active === true) return check;
    throw unauthenticated('The token is no longer valid', 'invalid_token');
  }

  /** One page of the users whose credentials ended. */
  async credentialChanges(after: string): Promise<CredentialChangesPage> {
    const { body } = await fetchJson<CredentialChangesPage>(
      `${this.baseUrl}/internal/credential-changes?after=${encodeURIComponent(after)}`,
      {
        headers: { authorization: `Bearer ${this.config.SERVICE_TOKEN}` },
        timeoutMs: this.config.IDENTITY_TIMEOUT_MS,
      },
    );
    const isPlace = (text: unknown) => typeof text === 'string' && /^\d{1,18}$/.test(text);
    if (!Array.isArray(body?.changes) || !isPlace(body.cursor) || !isPlace(body.last)) throw identityUnavailable();
    return body;
  }
}

export const identityAddress = (config: AppConfig): IdentityAddress => ({
  url: config.IDENTITY_URL ?? config.OAUTH_ISSUER,
  serviceToken: config.SERVICE_TOKEN,
  timeoutMs: config.IDENTITY_TIMEOUT_MS,
});

function loginFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof FetchJsonError) {
    if (error.status === 401 || error.status === 400) {
      return new ServiceError({
        code: 'caller.unauthenticated',
        status: 401,
        message: 'Invalid credentials',
        cause: error,
      });
    }
    if (error.status === 403) {
      return new ServiceError({
        code: 'identity.second_factor_needed',
        status: 403,
        message: 'This account signs in with a second factor, which only the login page of identity asks for',
        cause: error,
      });
    }
    if (error.status === 429) {
      return new ServiceError({
        code: 'rate_limit.login',
        status: 429,
        message: 'Too many failed log-ins; try again later',
        retryable: true,
        retryAfterSeconds: error.retryAfterSeconds ?? throttledSecondsDefault,
        cause: error,
      });
    }
  }
  return identityUnavailable(error);
}

export function identityUnavailable(cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 502,
    message: 'The identity service does not answer; try again in a moment',
    retryable: true,
    cause,
  });
}
