import { expect, it } from '@jest/globals';
import { partsOfRoutes, routesOfIdentity } from './identity.js';

it('the table of what identity reads has a row for each of its routes, and no other', () => {
  const parts = partsOfRoutes({ urls: {}, metricsUrls: {}, tokens: { apiKey: '', jwt: '', webhooks: {} } });
  expect(Object.keys(parts).toSorted()).toEqual(routesOfIdentity().toSorted());
});
