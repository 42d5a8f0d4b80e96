// Administration of signing keys over REST.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Administration, machineToken } from './administration.fixture.js';

interface KeyOfAnswer {
  kid: string;
  state: string;
}

describe('administration of signing keys', () => {
  let api: Administration;
  beforeAll(async () => {
    api = await Administration.start();
  });
  afterAll(() => api.identity.close());

  const keys = async () =>
    ((await api.send(machineToken, 'GET /signing-keys')).body as unknown as { signing_keys: KeyOfAnswer[] })
      .signing_keys;

  it('shows the keys that are published, and nothing of their private parts', async () => {
    const answer = await api.send(machineToken, 'GET /signing-keys');
    const jwks = (await (await fetch(`${api.identity.issuer}/oauth/jwks`)).json()) as { keys: { kid: string }[] };
    expect((await keys()).map(({ kid }) => kid).toSorted()).toEqual(jwks.keys.map(({ kid }) => kid).toSorted());
    const date = expect.stringMatching(/Z$/);
    expect(answer.body).toEqual({
      signing_keys: [
        {
          kid: expect.any(String),
          alg: 'RS256',
          state: 'current',
          created_at: date,
          activated_at: date,
          expires_at: null,
        },
        {
          kid: expect.any(String),
          alg: 'RS256',
          state: 'next',
          created_at: date,
          activated_at: null,
          expires_at: null,
        },
      ],
    });
  });

  it('lets the next key sign, once it was published for long enough or by force, and says who did it', async () => {
    const [current, next] = await keys();
    const early = await api.send(machineToken, 'POST /signing-keys/rotate', {});
    expect([early.status, early.body.message]).toEqual([
      409,
      expect.stringMatching(/^the next key has been published for \d+ s and needs \d+ s; wait, or force it$/),
    ]);
    expect(await keys()).toEqual([current, next]);
    const admin = await api.admin();
    const { status } = await api.send(admin.token, 'POST /signing-keys/rotate', { force: true });
    expect(status).toBe(200);
    expect((await keys()).map(({ kid, state }) => [kid, state])).toEqual([
      [next!.kid, 'current'],
      [expect.any(String), 'next'],
      [current!.kid, 'previous'],
    ]);
    const [event] = await api.query<{ details: string }>(
      `select details from audit_event where event = 'key.rotated' order by id desc`,
    );
    expect(JSON.parse(event!.details)).toEqual({ by: admin.user.id, activated: next!.kid, retired: current!.kid });
    // What the former key has signed is still good.
    expect((await api.send(admin.token, 'GET /signing-keys')).status).toBe(200);
  });

  it.each([
    [{ force: null }, 'force must be a boolean value'],
    [{ force: 'yes' }, 'force must be a boolean value'],
    [{ kid: 'x' }, 'kid should not exist'],
    [[], 'body must be an object'],
  ])('refuses to rotate for %j', async (body, message) => {
    const answer = await api.send(machineToken, 'POST /signing-keys/rotate', body);
    expect([answer.status, [answer.body.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });
});
