// Tries wrong passwords for an account that nobody else uses, until it is throttled.
import type { LoadKind } from './load.types.js';

const accounts = ['guessed-1@example.com', 'guessed-2@example.com'];

export const wrongPasswords: LoadKind = {
  name: 'wrong password',
  async act({ client, random, tell }) {
    const account = random.pick(accounts);
    const reply = await client.ask('identity', 'POST', '/auth/login', {
      expected: [401, 429],
      json: { email: account, password: 'not the password' },
    });
    const result = reply.status === 401 ? 'wrong' : reply.status === 429 ? 'throttled' : 'unknown';
    tell({ what: 'wrong password', account, result });
  },
};
