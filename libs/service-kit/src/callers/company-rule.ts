// Which companies a caller may act for (DECISIONS "A caller that is bound to a company acts on that company alone"). A
// bound caller may act for its own, whatever its role. An ADMIN and a service token without a company may act for any,
// an ANALYST without a company for none. Where CALLER_AUTH is none nobody is known, and nobody is bound.
import { ServiceError } from '@tradewind/shared-types';
import type { CallerIdentity } from './caller-auth.js';

/**
 * The one company whose things the caller may see and change; undefined for all companies.
 * Throws 403 for a user who may act for none.
 */
export function companyScopeOf(caller: CallerIdentity): string | undefined {
  if (caller.kind !== 'user' && caller.kind !== 'service') return undefined;
  if (caller.companyId === undefined && caller.kind === 'user' && caller.role !== 'ADMIN') {
    throw forbidden('This account belongs to no company; without one only an ADMIN may act for a company');
  }
  return caller.companyId;
}

/** Throws 403 unless the caller may act for that company. */
export function assertActsFor(caller: CallerIdentity, companyId: string): void {
  const own = companyScopeOf(caller);
  if (own !== undefined && own !== companyId) {
    throw forbidden(`This caller belongs to company ${JSON.stringify(own)} and may act for that company alone`);
  }
}

/** For operations that concern all companies: throws 403 for callers that are bound to one. */
export function assertBoundToNoCompany(caller: CallerIdentity): void {
  if ((caller.kind === 'user' || caller.kind === 'service') && caller.companyId !== undefined) {
    throw forbidden('This caller belongs to one company and may not do what concerns all companies');
  }
}

/**
 * The caller as it is stored and logged: the `sub` of a user or the name of a service token; null when nobody is known.
 */
export function callerId(caller: CallerIdentity): string | null {
  switch (caller.kind) {
    case 'user':
      return caller.userId;
    case 'service':
      return caller.name;
    case 'scheduler':
      return 'scheduler';
    case 'none':
      return null;
  }
}

function forbidden(message: string): ServiceError {
  return new ServiceError({ code: 'caller.forbidden', status: 403, message });
}
