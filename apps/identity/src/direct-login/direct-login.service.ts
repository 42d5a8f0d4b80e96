// Login by email address and password without OAuth. The answer is a JWT with `token_use: "direct"`, no access token.
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { companyClaim } from '../oidc/policy/claims.js';
import { UnitOfWorkStore } from '../unit-of-work/unit-of-work.store.js';
import { inUnitOfWork, UnitOfWork } from '../unit-of-work/unit-of-work.js';
import { SignedTokens } from '../signing-keys/signed-tokens.js';
import { PasswordLogin } from '../password-login/password-login.service.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import type { DirectLoginRequest, DirectLoginResponse, UserProfile } from './direct-login.dto.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

@Injectable()
export class DirectLogin {
  constructor(
    private readonly config: AppConfig,
    private readonly passwordLogin: PasswordLogin,
    private readonly units: UnitOfWorkStore,
    private readonly tokens: SignedTokens,
    private readonly users: UsersStore,
  ) {}

  async login({ email, password }: DirectLoginRequest, ip: string): Promise<DirectLoginResponse> {
    const unit = new UnitOfWork(ip);
    const outcome = await inUnitOfWork(unit, async () => {
      const result = await this.passwordLogin.check({ email, password, via: 'rest' });
      await this.units.commit(unit);
      return result;
    });
    switch (outcome.kind) {
      case 'ok':
        return { token: await this.issue(outcome.user), user: profileOf(outcome.user) };
      case 'second_factor':
        throw new ServiceError({
          code: 'identity.second_factor_needed',
          status: 403,
          message: 'This account signs in with a second factor, which only the login page asks for.',
        });
      case 'refused':
        throw new ServiceError({ code: 'identity.credentials', status: 401, message: 'Invalid credentials' });
      case 'throttled':
        throw new ServiceError({
          code: 'identity.login_throttled',
          status: 429,
          message: 'Too many failed logins. Try again later.',
          retryable: true,
          retryAfterSeconds: outcome.retryAfterSeconds,
        });
    }
  }

  /** The user of a direct-login JWT; throws a 401 for anything else, an OAuth access token included. */
  async profile(authorization: string | undefined): Promise<UserProfile> {
    const [scheme, token, ...rest] = (authorization ?? '').split(' ');
    const claims =
      scheme?.toLowerCase() === 'bearer' && token && rest.length === 0
        ? await this.tokens.verify('JWT', token)
        : undefined;
    if (!claims || claims['token_use'] !== 'direct' || claims['aud'] !== this.config.OAUTH_ISSUER)
      throw unauthenticated();
    const { sub, credentials_version: version } = claims;
    const user = typeof sub === 'string' && uuid.test(sub) ? await this.users.findById(sub) : undefined;
    // A new password ends all earlier JWTs, including that of a login in progress.
    if (!user || user.isDisabled || version !== user.credentialsVersion) throw unauthenticated();
    return profileOf(user);
  }

  private issue(user: User): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    return this.tokens.sign('JWT', {
      iss: this.config.OAUTH_ISSUER,
      aud: this.config.OAUTH_ISSUER,
      sub: user.id,
      email: user.email,
      userRole: user.userRole,
      ...companyClaim(user),
      token_use: 'direct',
      credentials_version: user.credentialsVersion,
      iat: nowSeconds,
      exp: nowSeconds + this.config.DIRECT_LOGIN_TTL_SECONDS,
    });
  }
}

function unauthenticated(): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: 'A valid token of POST /auth/login is needed.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function profileOf({ id, email, emailVerified, userRole }: User): UserProfile {
  return { id, email, emailVerified, userRole };
}
