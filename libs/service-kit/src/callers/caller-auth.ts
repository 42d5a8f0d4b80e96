// Decides who a caller is and whether it may use a service at all (DECISIONS "Callers", "Resources"). People present a
// token of the identity service, machines a service token. It fails closed: without the issuer's keys the answer is
// 503.
import { Injectable } from '@nestjs/common';
import { ServiceError, type UserRole } from '@tradewind/shared-types';
import type { JWTPayload } from 'jose';
import { assertHoldsKey, type PresentedRequest } from './dpop-proof.js';
import { findServiceToken, type ServiceToken, type ServiceTokenConfig } from './service-tokens.js';

/**
 * Who calls. `companyId` is the company that the caller is bound to; without it the caller is bound to none.
 * `scheduler` occurs only in services that have one, `none` only where CALLER_AUTH is none.
 */
export type CallerIdentity =
  | { kind: 'user'; userId: string; role: UserRole; companyId?: string }
  | { kind: 'service'; name: string; companyId?: string }
  | { kind: 'scheduler' }
  | { kind: 'none' };

/** Knows the tokens of users that a service accepts: IssuerTokens, and in identity its own. */
export interface UserTokens {
  /** The claims of a token that is good for this service; throws 401 for any other, and 503 if it cannot be checked. */
  verify(token: string): Promise<JWTPayload>;
}

/** Knows which tokens are good at this moment, as identity says: LiveTokens. */
export interface GoodTokens {
  /** Throws 401 for one that is no longer good. Its signature has been checked. */
  assertGood(token: string, options: { isDirectLogin: boolean }): Promise<void>;
}

export interface CallerRules extends ServiceTokenConfig {
  /** A service token lists the services that accept it; this is the name that it must list. */
  serviceName: string;
  userTokens: UserTokens;
  /** Not needed where `userTokens` are checked against the tables of identity. */
  goodTokens?: GoodTokens;
  /** Roles of users who may call at all; decorators of the routes say more. */
  roles: readonly UserRole[];
  /** Everybody may call, and nobody is known. For dev alone. */
  isOpen?: boolean;
}

@Injectable()
export class CallerAuth {
  constructor(private readonly rules: CallerRules) {}

  /** Throws 401, 403 or 503. */
  async authenticate(request: PresentedRequest): Promise<CallerIdentity> {
    const { isOpen, SERVICE_TOKENS, serviceName, userTokens, goodTokens, roles } = this.rules;
    if (isOpen) return { kind: 'none' };
    const { authorization } = request.headers;
    const dpopToken = tokenOf('DPoP', authorization);
    const token = presentedToken(request);
    const serviceToken = dpopToken === undefined && findServiceToken(SERVICE_TOKENS, token);
    if (serviceToken) return serviceCaller(serviceToken, serviceName);
    const { sub, userRole, user_company_id: companyId, cnf, token_use: use } = await userTokens.verify(token);
    // A bound token without its key is what a thief has.
    if (dpopToken !== undefined || cnf !== undefined) await assertHoldsKey(request, token, cnf);
    if (!sub || (companyId !== undefined && (typeof companyId !== 'string' || companyId === ''))) {
      throw unauthenticated('The token is not valid', 'invalid_token');
    }
    const role = roles.find((one) => one === userRole);
    if (role === undefined) {
      throw new ServiceError({
        code: 'caller.forbidden',
        status: 403,
        message: 'The role of this user does not allow this',
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      });
    }
    await goodTokens?.assertGood(token, { isDirectLogin: use === 'direct' });
    return { kind: 'user', userId: sub, role, ...(companyId === undefined ? {} : { companyId }) };
  }
}

/** The token that a request presents, as Bearer or with a DPoP proof; throws 401 without one. */
export function presentedToken({ headers: { authorization } }: Pick<PresentedRequest, 'headers'>): string {
  return tokenOf('DPoP', authorization) ?? bearerOf(authorization);
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
