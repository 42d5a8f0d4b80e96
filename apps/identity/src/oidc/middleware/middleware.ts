// What this service does around the provider's handling of a request, in this order. The first one wraps all others.
import { adjustAnswers } from './answers.js';
import { prepareAuthorization } from './authorization.js';
import { hasBody, isRegistration, when } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { allowRegistrationOrigins, guardRegistration } from './registration.js';
import { readRequestBody } from './request-body.js';
import { storeUnitOfWork } from './store-unit-of-work.js';
import { prepareTokens } from './tokens.js';

export const middleware = (needs: MiddlewareNeeds): Middleware[] => [
  storeUnitOfWork(needs),
  // Before the body, so that a browser may read its refusal.
  when(isRegistration, allowRegistrationOrigins),
  when(hasBody, readRequestBody(needs)),
  ...guardRegistration(needs),
  ...prepareAuthorization(needs),
  ...prepareTokens(needs),
  ...adjustAnswers(needs),
];
