// A request to an account page: who is signed in, the login for whoever is not, and the forms of the pages.
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { Session } from 'oidc-provider';
import { AppConfig } from '../app.config.js';
import { cookieNames, cookieValue } from '../cookies.js';
import { csrfToken, isCsrfToken, makeNonce } from '../login-pages/csrf-tokens.js';
import type { PageForm } from '../login-pages/login-pages.dto.js';
import type { PageAnswer } from '../login-pages/page-answer.js';
import { accountAuthorization, accountClientId } from '../oidc/account-client.js';
import { CurrentProvider } from '../oidc/current-provider.js';
import { acrValues, lacksSecondFactor } from '../oidc/policy/authentication.js';
import { routes } from '../oidc/policy/routes.js';
import { accountPath } from '../pages/account-path.js';
import type { AccountPage } from '../pages/account-pages.js';
import { messagesFor, type PageMessages } from '../pages/page-messages.js';
import { secondFactorPath } from '../pages/second-factor-pages.js';
import { contentSecurityPolicy, type PageScript } from '../pages/security-headers.js';
import { UnitOfWorkStore } from '../unit-of-work/unit-of-work.store.js';
import { inUnitOfWork, UnitOfWork } from '../unit-of-work/unit-of-work.js';
import type { User } from '../users/users.types.js';
import { OwnAccount } from './own-account.service.js';

export interface PageRequest {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A request of somebody who is signed in. */
export interface Visit extends PageRequest {
  user: User;
  session: Session;
  messages: PageMessages;
  nonce: string;
}

/** What the CSRF tokens are for, in addition to the session. */
const formStep = 'account';

export type Part = '' | 'password' | 'sessions' | 'applications' | typeof secondFactorPath;
export const parts: readonly Part[] = ['password', 'sessions', 'applications', secondFactorPath];

export const addressOf = (part: Part): string => (part === '' ? accountPath : `${accountPath}/${part}`);

/**
 * Seconds since the last login: more, and a page that asks for a recent one leads to the login. A form of that page has
 * as long again.
 */
const recentSeconds = 600;
export type Recency = 'page' | 'form';

@Injectable()
export class AccountVisits {
  constructor(
    private readonly config: AppConfig,
    private readonly current: CurrentProvider,
    private readonly account: OwnAccount,
    private readonly units: UnitOfWorkStore,
  ) {}

  /**
   * Takes the step if somebody is signed in, and otherwise leads to the login and back to `part`.
   * @param recency that the login must be recent, and with a second factor if there is one
   */
  async visit(
    { request, reply }: PageRequest,
    part: Part,
    take: (visit: Visit) => Promise<PageAnswer>,
    recency?: Recency,
  ): Promise<PageAnswer> {
    return this.inUnit(request, async () => {
      const found = await this.signedInUser({ request, reply });
      if (!found) return { status: 303, location: await this.signInAddress(request, part) };
      if (recency !== undefined && !isRecent(found, recency)) {
        return { status: 303, location: await this.signInAddress(request, part, true) };
      }
      await this.account.noteUse(found.session.uid);
      const messages = messagesFor(undefined, request.headers['accept-language']);
      const nonce = cookieValue(request.headers.cookie, cookieNames(this.config.OAUTH_ISSUER).csrf) ?? makeNonce();
      return take({ ...found, request, reply, messages, nonce });
    });
  }

  async inUnit(request: FastifyRequest, run: () => Promise<PageAnswer>): Promise<PageAnswer> {
    const unit = new UnitOfWork(request.ip, request.headers['user-agent']);
    return inUnitOfWork(unit, async () => {
      const answer = await run();
      await this.units.commit(unit);
      return answer;
    });
  }

  async signedInUser({ request, reply }: PageRequest): Promise<{ user: User; session: Session } | undefined> {
    const { provider } = this.current;
    // Koa makes the context, and the session reads the signed cookie from it.
    const ctx = provider.createContext(request.raw, reply.raw) as Parameters<Provider['Session']['get']>[0];
    const session = await provider.Session.get(ctx);
    const user = session.accountId === undefined ? undefined : await this.current.findUser(session.accountId);
    if (!user || user.isDisabled || lacksSecondFactor(user, session.acr, this.config)) return undefined;
    return { user, session };
  }

  page(visit: Visit, render: (given: AccountPage) => string, script?: PageScript): PageAnswer {
    const { session, nonce } = visit;
    const { OAUTH_ISSUER: issuer, COOKIE_KEYS: keys } = this.config;
    const secure = issuer.startsWith('https:') ? '; Secure' : '';
    return {
      status: 200,
      headers: {
        'Set-Cookie': `${cookieNames(issuer).csrf}=${nonce}; Path=${accountPath}; HttpOnly; SameSite=Lax${secure}`,
        'Content-Security-Policy': contentSecurityPolicy(undefined, script),
      },
      body: render({ csrf: csrfToken(keys, { uid: session.uid, prompt: formStep, nonce }) }),
    };
  }

  assertForm({ session, nonce }: Visit, { _csrf }: PageForm): void {
    if (isCsrfToken(this.config.COOKIE_KEYS, { uid: session.uid, prompt: formStep, nonce }, _csrf)) return;
    throw new ServiceError({ code: 'identity.form_forged', status: 403, message: 'The form is not valid.' });
  }

  private async signInAddress(request: FastifyRequest, part: Part, asksAgain = false): Promise<string> {
    const authorization = accountAuthorization(this.config.OAUTH_ISSUER, part, asksAgain);
    const query = this.config.PAR === 'required' ? await push(request, authorization) : authorization;
    return `${routes.authorization}?${new URLSearchParams(query).toString()}`;
  }
}

/** A session from before there was a second factor, perhaps of somebody else, must not remove it. */
function isRecent({ user, session }: { user: User; session: Session }, recency: Recency): boolean {
  const isStrong = !user.hasSecondFactor || session.acr === acrValues.twoFactor;
  return isStrong && !session.past(recency === 'page' ? recentSeconds : 2 * recentSeconds);
}

/** Where all requests have to be pushed, so have those of the account pages. */
async function push(
  { server }: FastifyRequest,
  authorization: Record<string, string>,
): Promise<Record<string, string>> {
  const answer = await server.inject({
    method: 'POST',
    url: routes.pushed_authorization_request,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(authorization).toString(),
  });
  if (answer.statusCode !== 201) {
    throw new ServiceError({
      code: 'dependency.unavailable',
      status: 503,
      message: 'The login cannot begin at the moment. Try again shortly.',
      retryable: true,
      retryAfterSeconds: 5,
      cause: new Error(`the pushed request was answered with ${answer.statusCode}`),
    });
  }
  const { request_uri: requestUri } = answer.json<{ request_uri: string }>();
  return { client_id: accountClientId, request_uri: requestUri };
}
