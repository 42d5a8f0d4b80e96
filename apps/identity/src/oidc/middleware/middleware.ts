// What this service does around the provider's handling of a request: one file for each matter, installed in this
// order. The first one wraps all others.
import { answerBareOptions } from './bare-options.js';
import { reportMissingClientAuthentication } from './client-authentication.js';
import { listSupportedClaims } from './discovery-claims.js';
import { showForwardPage } from './forward-page.js';
import { introspectionResponse } from './introspection-response.js';
import { acceptJwtParameter } from './jwt-parameter.js';
import {
  hasBody,
  isAuthorization,
  isIntrospection,
  isMetadata,
  isPostedAuthorization,
  isPublicDocument,
  isPushedAuthorization,
  isRegistration,
  isRevocation,
  isToken,
  isUserinfo,
  takesToken,
  when,
} from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { askConsentForOfflineAccess, askConsentForPushedOfflineAccess } from './offline-access.js';
import { acceptPostedAuthorization } from './posted-authorization.js';
import { readAuthorizationRows } from './read-authorization-rows.js';
import { readTokenRows } from './read-token-rows.js';
import { keepRefusedGrant } from './refused-resource.js';
import { allowRegistrationOrigins } from './registration-cors.js';
import { limitRegistrations, limitRegistrationSize } from './registration-limits.js';
import { rotateRegistrationToken } from './registration-token.js';
import { repeatRefresh } from './repeated-refresh.js';
import { readRequestBody } from './request-body.js';
import { nameResourceMetadata } from './resource-metadata.js';
import { revocationResponse } from './revocation-response.js';
import { storeUnitOfWork } from './store-unit-of-work.js';

export function middleware(needs: MiddlewareNeeds): Middleware[] {
  return [
    storeUnitOfWork(needs),
    when(isRegistration, allowRegistrationOrigins),
    when(hasBody, readRequestBody(needs)),
    when(isRegistration, limitRegistrationSize),
    when(isRegistration, limitRegistrations(needs)),
    when(isPostedAuthorization, acceptPostedAuthorization(needs)),
    when(isPushedAuthorization, askConsentForPushedOfflineAccess),
    when(takesToken, acceptJwtParameter(needs)),
    when(isToken, readTokenRows(needs)),
    when(isToken, repeatRefresh(needs)),
    when(isToken, keepRefusedGrant),
    when(isAuthorization, readAuthorizationRows(needs)),
    when(isAuthorization, showForwardPage(needs)),
    when(isAuthorization, askConsentForOfflineAccess),
    when(isPublicDocument, answerBareOptions),
    when(isMetadata, listSupportedClaims),
    when(isUserinfo, nameResourceMetadata(needs)),
    when(isIntrospection, introspectionResponse(needs)),
    when(isRevocation, revocationResponse),
    when(hasBody, reportMissingClientAuthentication(needs)),
    when(isRegistration, rotateRegistrationToken(needs)),
  ];
}
