// Verifies the JWT that a user gets by logging in (DECISIONS.md, Identity: RS256, iss and aud are the issuer, token_use
// "direct"). OAuth access tokens and ID tokens carry no such token_use and are refused.
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { clockToleranceSeconds, IssuerKeys } from '@tradewind/service-kit';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { AppConfig } from '../app.config.js';

export interface LoggedInUser {
  /** Identity `sub`. */
  id: string;
  email: string;
  /** Of the credentials with which the user logged in. */
  credentialsVersion: number;
  /** The company that the user belongs to; null: none. */
  companyId: string | null;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

@Injectable()
export class DirectLoginStrategy extends PassportStrategy(Strategy, 'direct-login') {
  constructor(config: AppConfig, issuerKeys: IssuerKeys) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      algorithms: ['RS256'],
      issuer: config.OAUTH_ISSUER,
      audience: config.OAUTH_ISSUER,
      secretOrKeyProvider: issuerKeys.secretOrKeyProvider,
      jsonWebTokenOptions: { clockTolerance: clockToleranceSeconds },
    });
  }

  /** Called by Passport with the claims of a token whose signature, issuer, audience and expiry are good. */
  validate(claims: Record<string, unknown>): LoggedInUser | false {
    const { sub, email, token_use: tokenUse, credentials_version: credentialsVersion } = claims;
    if (tokenUse !== 'direct' || typeof sub !== 'string' || !uuid.test(sub) || typeof email !== 'string') return false;
    if (!Number.isSafeInteger(credentialsVersion)) return false;
    const { user_company_id: companyId = null } = claims;
    if (companyId !== null && typeof companyId !== 'string') return false;
    return { id: sub, email, credentialsVersion: credentialsVersion as number, companyId };
  }
}
