// Decides who a caller is and whether it may use a pipeline service (DECISIONS "Callers"). People present a token of
// the identity service, machines a service token. It fails closed: without the issuer's keys the answer is 503.
import { Injectable } from '@nestjs/common';
import { ServiceError, type UserRole } from '@tradewind/shared-types';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { assertHoldsKey, type PresentedRequest } from './dpop-proof.js';
import type { CallerAuthConfig } from './caller-settings.js';
import { clockToleranceSeconds, IssuerKeys } from './issuer-keys.js';
import { findServiceToken, type ServiceToken } from './service-tokens.js';

/**
 * Who calls. `companyId` is the company that the caller is bound to; without it the caller is bound to none.
 * `scheduler` occurs only in services that have one, `none` only where CALLER_AUTH is none.
 */
export type CallerIdentity =
  | { kind: 'user'; userId: string; role: UserRole; companyId?: string }
  | { kind: 'service'; name: string; companyId?: string }
  | { kind: 'scheduler' }
  | { kind: 'none' };

const allowedRoles: readonly unknown[] = ['ANALYST', 'ADMIN'] satisfies UserRole[];
// What the identity service may sign with. A symmetric algorithm, or none, would let anyone sign.
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];

@Injectable()
export class CallerAuth {
  private readonly keys: IssuerKeys;

  /** @param serviceName the service that is called: a service token lists the services that accept it */
  constructor(
    private readonly config: CallerAuthConfig,
    private readonly serviceName: string,
  ) {
    this.keys = new IssuerKeys({ url: config.OAUTH_JWKS_URL ?? `${config.OAUTH_ISSUER}/oauth/jwks` });
  }

  /** Throws 401, 403 or 503. */
  async authenticate(request: PresentedRequest): Promise<CallerIdentity> {
    if (this.config.CALLER_AUTH === 'none') return { kind: 'none' };
    const { authorization } = request.headers;
    const dpopToken = tokenOf('DPoP', authorization);
    const token = dpopToken ?? bearerOf(authorization);
    const serviceToken = dpopToken === undefined && findServiceToken(this.config.SERVICE_TOKENS, token);
    if (serviceToken) return serviceCaller(serviceToken, this.serviceName);
    const { sub, userRole, user_company_id: companyId, cnf } = await this.verify(token);
    // A bound token without its key is what a thief has.
    if (dpopToken !== undefined || cnf !== undefined) await assertHoldsKey(request, token, cnf);
    if (!sub || (companyId !== undefined && (typeof companyId !== 'string' || companyId === ''))) {
      throw unauthenticated('The token is not valid', 'invalid_token');
    }
    if (!allowedRoles.includes(userRole)) {
      throw new ServiceError({
        code: 'caller.forbidden',
        status: 403,
        message: 'The role of this user does not allow this',
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      });
    }
    return { kind: 'user', userId: sub, role: userRole as UserRole, ...(companyId === undefined ? {} : { companyId }) };
  }

  /** Claims of an OAuth access token for the pipelines, or of a direct-login JWT. An ID token is neither. */
  private async verify(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.keys.resolve, {
        issuer: this.config.OAUTH_ISSUER,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp', 'aud'],
      });
      const isAccessToken = /^(application\/)?at\+jwt$/i.test(protectedHeader.typ ?? '');
      const isDirectLogin = !isAccessToken && payload['token_use'] === 'direct';
      const audience = isAccessToken ? this.config.PIPELINES_AUDIENCE : this.config.OAUTH_ISSUER;
      if ((!isAccessToken && !isDirectLogin) || ![payload.aud].flat().includes(audience)) {
        throw unauthenticated('The token was issued for something else', 'invalid_token');
      }
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthenticated('The token has expired', 'invalid_token');
      if (error instanceof errors.JOSEError) throw unauthenticated('The token is not valid', 'invalid_token', error);
      throw error;
    }
  }
}

/** The token of an Authorization header; throws 401 without one. */
export function bearerOf(authorization: string | undefined): string {
  const token = tokenOf('Bearer', authorization);
  if (token === undefined) throw unauthenticated('A bearer token is required');
  return token;
}

function tokenOf(scheme: 'Bearer' | 'DPoP', authorization: string | undefined): string | undefined {
  const [, given = '', token] = /^(\w+) +([\w.~+/=-]+) *$/.exec(authorization ?? '') ?? [];
  return given.toLowerCase() === scheme.toLowerCase() ? token : undefined;
}

/** The caller that presents this token to the service; throws 403 when the token is for other services. */
export function serviceCaller({ name, services, companyId }: ServiceToken, serviceName: string): CallerIdentity {
  if (!services.includes(serviceName)) {
    throw new ServiceError({
      code: 'caller.forbidden',
      status: 403,
      message: `This service token is not for ${serviceName}`,
    });
  }
  return { kind: 'service', name, ...(companyId === undefined ? {} : { companyId }) };
}

export function unauthenticated(message: string, error?: string, cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message,
    headers: { 'www-authenticate': error ? `Bearer error="${error}"` : 'Bearer' },
    cause,
  });
}
