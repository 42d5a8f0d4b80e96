// Registers OAuth clients, reads some and deletes some.
import { resultOf } from './load-client.js';
import type { LoadKind } from './load.types.js';

interface Registration {
  client_id: string;
  registration_access_token: string;
}

export const registrations: LoadKind = {
  name: 'client registration',
  async act({ client, random, tell, unique }) {
    const name = unique('client');
    const made = await client.ask<Registration>('identity', 'POST', '/oauth/reg', {
      // 429: the registrations of the hour are used up.
      expected: [201, 429],
      json: { client_name: name, redirect_uris: ['https://client.example.com/callback'] },
    });
    const { client_id: clientId, registration_access_token: bearer = '' } = made.body ?? {};
    tell({
      what: 'client',
      name,
      ...(clientId === undefined ? {} : { clientId }),
      use: 'register',
      result: resultOf(made),
    });
    if (made.status !== 201 || clientId === undefined || !random.oneIn(3)) return;
    const deleted = await client.ask('identity', 'DELETE', `/oauth/reg/${clientId}`, {
      expected: [204],
      bearer,
      path: '/oauth/reg/:clientId',
    });
    tell({ what: 'client', name, clientId, use: 'delete', result: resultOf(deleted) });
  },
};
