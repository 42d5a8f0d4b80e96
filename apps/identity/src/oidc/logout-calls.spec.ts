import { expect, it } from '@jest/globals';
import { publicLookup } from './logout-calls.js';

// Every machine knows the name `localhost`.
it.each([{ all: true }, { all: false }, { family: 4 }])(
  'a name of an inside address is not resolved: %j',
  async (options) => {
    const failure = await new Promise((resolve) => publicLookup('localhost', options, resolve));
    expect(failure).toEqual(new Error('the address of the client is not on the internet'));
  },
);
