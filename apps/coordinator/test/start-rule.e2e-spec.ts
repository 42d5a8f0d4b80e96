// Who may publish a month again, or a month other than the current one. Both buy every profile once more.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { monthOf } from '@tradewind/shared-types';
import { PretendIssuer } from '@tradewind/testkit';
import { serviceToken, startApp, type TestApp } from './coordinator-app.js';

let issuer: PretendIssuer;
let app: TestApp;
beforeAll(async () => {
  issuer = await PretendIssuer.start();
  app = await startApp({ OAUTH_ISSUER: issuer.url });
  await app.addPeople([{ usernames: ['ada'] }]);
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});

const tokenOf = (userRole: string) => issuer.accessToken({ userRole });

const run = async (token: string, body: object) => {
  const answer = await app.request('POST', '/run', body, { authorization: `Bearer ${token}` });
  if (answer.status === 202) await app.untilCompleted(answer.body.run_id);
  return answer;
};

it('an analyst may run a month but not force it, not even as a dry run; an admin and a service token may', async () => {
  const month = monthOf(new Date());
  expect((await run(tokenOf('ANALYST'), { month, force: false })).status).toBe(202);
  for (const body of [{ force: true }, { force: true, dry_run: true }, { force: true, limit: 1 }]) {
    expect(await run(tokenOf('ANALYST'), body)).toEqual({
      status: 403,
      body: {
        message: 'force publishes a month again and needs the role ADMIN or a service token',
        error: 'Forbidden',
        statusCode: 403,
      },
    });
  }
  expect((await app.request('GET', '/runs')).body['runs']).toHaveLength(1);
  expect((await run(tokenOf('ADMIN'), { force: true })).body).toMatchObject({ forced: true });
  expect((await run(serviceToken, { force: true })).body).toMatchObject({ forced: true });
});

it('an analyst may plan another month as a dry run but not run it; an admin and a service token may', async () => {
  const now = new Date();
  const [before, after] = [-1, 1].map((months) => monthOf(new Date(now.getFullYear(), now.getMonth() + months, 15)));
  for (const month of [before, after]) {
    expect(await run(tokenOf('ANALYST'), { month })).toEqual({
      status: 403,
      body: {
        message: 'month publishes another month than the current one and needs the role ADMIN or a service token',
        error: 'Forbidden',
        statusCode: 403,
      },
    });
    expect((await run(tokenOf('ANALYST'), { month, dry_run: true })).status).toBe(202);
  }
  expect((await run(tokenOf('ADMIN'), { month: before })).body).toMatchObject({ month: before, outcome: 'started' });
  expect((await run(serviceToken, { month: after })).body).toMatchObject({ month: after, outcome: 'started' });
});
