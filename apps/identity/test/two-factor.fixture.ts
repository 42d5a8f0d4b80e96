// Somebody with an authenticator app, and browsers that sign in with it.
import { Secret, TOTP } from 'otpauth';
import type { User } from '../src/users/users.types.js';
import { password, type Identity } from './identity.fixture.js';
import { UserAgent, type Page } from './user-agent.js';

/** The code of an app at this moment, or some steps of 30 seconds later. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** The secret that a page of set-up shows. */
export const secretOn = ({ body }: Page): string => {
  const text = /<code>([A-Z2-7 ]+)<\/code>/.exec(body)?.[1];
  if (text === undefined) throw new Error(`no secret on the page: ${body.slice(-900)}`);
  return text.replaceAll(' ', '');
};

export const recoveryCodesOn = ({ body }: Page): string[] =>
  [...body.matchAll(/<li>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})<\/li>/g)].map(([, code = '']) => code);

export interface Enrolled {
  user: User;
  agent: UserAgent;
  secret: string;
  codes: string[];
}

/** A new browser that has entered the password. */
export async function enterPassword(
  { issuer }: Identity,
  email: string,
  {
    path = '/account',
    ip,
    agent = new UserAgent(issuer, issuer, ip),
  }: { path?: string; ip?: string; agent?: UserAgent } = {},
): Promise<{ agent: UserAgent; page: Page }> {
  return { agent, page: await agent.submit(await agent.visit(path), 'submit', { email, password }) };
}

/** A user who has added an app. The code that added it is of the step before: that of now is still good. */
export async function enrol(identity: Identity, user?: User): Promise<Enrolled> {
  const owner = user ?? (await identity.createUser());
  const { agent } = await enterPassword(identity, owner.email);
  const page = await agent.visit('/account/two-factor/app');
  const secret = secretOn(page);
  const added = await agent.submit(page, 'app', { code: codeOf(secret, -1) });
  return { user: owner, agent, secret, codes: recoveryCodesOn(added) };
}
