// Makes an API key, lets both replicas of the gateway remember it, and revokes it as an operator.
import { hashOf, makeKey, tryKey } from './api-keys.js';
import { end } from './ended-access.js';
import type { LoadKind } from './load.types.js';

export const revokeKey: LoadKind = {
  name: 'revocation of a key',
  async act(context) {
    const key = await makeKey(context, context.random.pick(context.accounts));
    if (key === undefined) return;
    await Promise.all([tryKey(context, key, [200]), tryKey(context, key, [200])]);
    await end(context, () => context.command('graphql-gateway', ['key', 'revoke', key]), [
      {
        kind: 'revoked key',
        subject: hashOf(key),
        attempt: (later) => tryKey(later, key, [200, 401]),
      },
    ]);
  },
};
