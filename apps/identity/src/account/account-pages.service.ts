// The account pages: what a signed-in person sees of the own account, and the forms that change it.
import { Injectable } from '@nestjs/common';
import { AccountLinks } from '../account-links/account-links.service.js';
import { AppConfig } from '../app.config.js';
import { sessionCookies } from '../cookies.js';
import type { PageForm } from '../login-pages/login-pages.dto.js';
import type { PageAnswer } from '../login-pages/page-answer.js';
import { accountClientId } from '../oidc/account-client.js';
import { CurrentProvider } from '../oidc/current-provider.js';
import { isStorableText } from '../oidc/payloads/payload-adapter.js';
import type { UserApplication, UserSession } from '../oidc/payloads/user-payloads.store.js';
import { routes } from '../oidc/policy/routes.js';
import { accountPath } from '../pages/account-path.js';
import {
  applicationsPage,
  overviewPage,
  passwordPage,
  sessionsPage,
  type AccountPage,
  type PasswordFault,
} from '../pages/account-pages.js';
import { messagesFor, type PageMessages } from '../pages/page-messages.js';
import { errorPage } from '../pages/pages.js';
import { contentSecurityPolicy } from '../pages/security-headers.js';
import { shownName } from '../pages/shown-name.js';
import { KnownBrowsers } from '../password-login/known-browsers.js';
import { PasswordLogin } from '../password-login/password-login.service.js';
import { inUnitOfWork, UnitOfWork } from '../unit-of-work/unit-of-work.js';
import { passwordLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import { doneOf, pageNumber, type ApplicationForm, type PasswordForm, type SessionForm } from './account.dto.js';
import { browserName } from '../pages/browser-name.js';
import { addressOf, AccountVisits, parts, type PageRequest, type Visit } from './account-visits.js';
import { OwnAccount } from './own-account.service.js';

/** Rows of a list on one page. */
const rowsPerPage = 20;

@Injectable()
export class AccountPages {
  constructor(
    private readonly config: AppConfig,
    private readonly current: CurrentProvider,
    private readonly account: OwnAccount,
    private readonly passwordLogin: PasswordLogin,
    private readonly browsers: KnownBrowsers,
    private readonly links: AccountLinks,
    private readonly visits: AccountVisits,
  ) {}

  async overview(request: PageRequest, query: unknown): Promise<PageAnswer> {
    return this.visits.visit(request, '', async (visit) =>
      this.visits.page(visit, (given) =>
        overviewPage(visit.messages, {
          ...given,
          user: visit.user,
          mayVerify: this.links.areMailed && !visit.user.emailVerified,
          done: doneOf(query, ['password', 'mailed']),
        }),
      ),
    );
  }

  /** Where the login leads back to. */
  async signedIn({ request, reply }: PageRequest, query: unknown): Promise<PageAnswer> {
    const { state, error } = query as { state?: unknown; error?: unknown };
    const part = parts.find((one) => one === state) ?? '';
    return this.visits.inUnit(request, async () => {
      const messages = messagesFor(undefined, request.headers['accept-language']);
      if (error !== undefined) return this.notSignedIn(messages, messages.account.cancelled, 200);
      if (await this.visits.signedInUser({ request, reply })) return { status: 303, location: addressOf(part) };
      // Without the session that has just begun, the login would begin again and again.
      return this.notSignedIn(messages, messages.errors.expired, 400);
    });
  }

  async password(request: PageRequest): Promise<PageAnswer> {
    return this.visits.visit(request, 'password', async (visit) => this.passwordForm(visit, 200));
  }

  async setPassword(request: PageRequest, form: PasswordForm): Promise<PageAnswer> {
    return this.visits.visit(request, 'password', async (visit) => {
      const { user, session } = visit;
      this.visits.assertForm(visit, form);
      // A second click, or a form from before another change.
      if (form.version !== String(user.credentialsVersion)) return this.passwordForm(visit, 409, { kind: 'changed' });
      const { password, newPassword } = form;
      const fault = faultOf(form);
      if (fault !== undefined) return this.passwordForm(visit, 400, fault);
      return this.account.inTurn(user.id, async (current) => {
        if (current?.credentialsVersion !== user.credentialsVersion)
          return this.passwordForm(visit, 409, { kind: 'changed' });
        const { cookie: cookies } = request.request.headers;
        const outcome = await this.passwordLogin.check({
          email: user.email,
          password,
          via: 'password_change',
          cookies,
        });
        switch (outcome.kind) {
          case 'refused':
            return this.passwordForm(visit, 401, { kind: 'wrong', field: 'password' });
          case 'throttled': {
            const { retryAfterSeconds: seconds } = outcome;
            const page = await this.passwordForm(visit, 429, { kind: 'throttled', minutes: Math.ceil(seconds / 60) });
            return { ...page, headers: { ...page.headers, 'Retry-After': String(seconds) } };
          }
          // Whoever is signed in has proved a second factor before.
          case 'second_factor':
          case 'ok': {
            const handle = await this.account.setPassword(outcome.user, session.uid, newPassword);
            if (handle === undefined) return this.passwordForm(visit, 409, { kind: 'changed' });
            const changed = { id: user.id, credentialsVersion: outcome.user.credentialsVersion + 1 };
            const lines = [this.browsers.remember(cookies, changed), ...this.sessionCookies(handle, session.exp)];
            return { status: 303, location: `${accountPath}?done=password`, headers: { 'Set-Cookie': lines } };
          }
        }
      });
    });
  }

  async sessions(request: PageRequest, query: unknown): Promise<PageAnswer> {
    return this.visits.visit(request, 'sessions', async (visit) => {
      const { rows, ...paging } = await this.paged(query, (page) => this.account.listSessions(visit.user, page));
      return this.visits.page(visit, (given) =>
        sessionsPage(visit.messages, {
          ...given,
          ...paging,
          done: doneOf(query, ['ended', 'gone', 'unchanged']),
          sessions: rows.map((row) => this.shownSession(row, visit)),
        }),
      );
    });
  }

  async endSession(request: PageRequest, form: SessionForm): Promise<PageAnswer> {
    return this.visits.visit(request, 'sessions', async (visit) => {
      this.visits.assertForm(visit, form);
      const { user, session } = visit;
      if (form.session === session.uid) return this.leave(visit);
      const isEnded = isStorableText(form.session) && (await this.account.endSession(user, form.session, 'page'));
      return { status: 303, location: `${addressOf('sessions')}?done=${isEnded ? 'ended' : 'gone'}` };
    });
  }

  async endAll(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.visits.visit(request, 'sessions', async (visit) => {
      this.visits.assertForm(visit, form);
      return (await this.account.endAll(visit.user)) ? this.signedOut() : this.signedOutBefore(visit);
    });
  }

  async applications(request: PageRequest, query: unknown): Promise<PageAnswer> {
    return this.visits.visit(request, 'applications', async (visit) => {
      const { rows, ...paging } = await this.paged(query, (page) => this.account.listApplications(visit.user, page));
      return this.visits.page(visit, (given) =>
        applicationsPage(visit.messages, {
          ...given,
          ...paging,
          done: doneOf(query, ['revoked', 'gone']),
          applications: rows.map((row) => this.shownApplication(row)),
        }),
      );
    });
  }

  async revoke(request: PageRequest, form: ApplicationForm): Promise<PageAnswer> {
    return this.visits.visit(request, 'applications', async (visit) => {
      this.visits.assertForm(visit, form);
      const { application } = form;
      const isRevoked =
        isStorableText(application) &&
        application !== accountClientId &&
        (await this.account.revoke(visit.user, application));
      return { status: 303, location: `${addressOf('applications')}?done=${isRevoked ? 'revoked' : 'gone'}` };
    });
  }

  async signOut(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.visits.visit(request, '', async (visit) => {
      this.visits.assertForm(visit, form);
      return this.leave(visit);
    });
  }

  private async leave(visit: Visit): Promise<PageAnswer> {
    const isEnded = await this.account.endSession(visit.user, visit.session.uid, 'sign_out');
    return isEnded ? this.signedOut() : this.signedOutBefore(visit);
  }

  /** Nothing was ended: because somebody else has ended the session, or because of another change at the same time. */
  private async signedOutBefore({ session }: Visit): Promise<PageAnswer> {
    const { provider } = this.current;
    const found = await inUnitOfWork(new UnitOfWork(), () => provider.Session.findByUid(session.uid));
    return found ? { status: 303, location: `${addressOf('sessions')}?done=unchanged` } : this.signedOut();
  }

  private signedOut(): PageAnswer {
    return {
      status: 303,
      location: `${routes.end_session}/success`,
      headers: { 'Set-Cookie': this.sessionCookies('', 0) },
    };
  }

  private sessionCookies(handle: string, untilSeconds = 0): string[] {
    const { OAUTH_ISSUER: issuer, COOKIE_KEYS: keys } = this.config;
    return sessionCookies(issuer, keys, handle, new Date(untilSeconds * 1000));
  }

  private async paged<Row>(
    query: unknown,
    read: (page: { offset: number; limit: number }) => Promise<Row[]>,
  ): Promise<{ rows: Row[]; pageNumber: number; hasNext: boolean }> {
    const number = pageNumber(query);
    const rows = await read({ offset: (number - 1) * rowsPerPage, limit: rowsPerPage + 1 });
    return { rows: rows.slice(0, rowsPerPage), pageNumber: number, hasNext: rows.length > rowsPerPage };
  }

  private shownSession({ uid, payload, expiresAt }: UserSession, { session }: Visit) {
    const { loginTs, address, browser, usedTs } = payload;
    return {
      uid,
      isThis: uid === session.uid,
      browser: browserName(browser),
      address,
      signedInAt: loginTs === undefined ? undefined : new Date(loginTs * 1000),
      // A session from before it was noted was stored with its whole life when it was used.
      usedAt: new Date(
        usedTs === undefined ? expiresAt.getTime() - this.config.SESSION_TTL_SECONDS * 1000 : usedTs * 1000,
      ),
    };
  }

  private shownApplication({ clientId, metadata, isRegistered, scopes, resources, usedAt }: UserApplication) {
    const { client_name: name } = JSON.parse(metadata ?? '{}') as { client_name?: string };
    const scopeNames = scopes.flatMap(
      (text) => (JSON.parse(text ?? '{}') as { scope?: string }).scope?.split(' ') ?? [],
    );
    const granted = resources.flatMap((text) => Object.keys(JSON.parse(text ?? '{}') as object));
    return {
      clientId,
      name: shownName(name ?? clientId),
      isUnverified: isRegistered,
      scopes: [...new Set(scopeNames)],
      resources: [...new Set(granted)].filter((resource) => !this.isIssuer(resource)),
      usedAt,
    };
  }

  private isIssuer(resource: string): boolean {
    return URL.parse(resource)?.href === new URL(this.config.OAUTH_ISSUER).href;
  }

  private async passwordForm(visit: Visit, status: number, fault?: PasswordFault): Promise<PageAnswer> {
    const render = (given: AccountPage) =>
      passwordPage(visit.messages, { ...given, version: visit.user.credentialsVersion, fault });
    return { ...this.visits.page(visit, render, 'show-password'), status };
  }

  private notSignedIn(messages: PageMessages, words: { title: string; text: string }, status: number): PageAnswer {
    const headers = { 'Content-Security-Policy': contentSecurityPolicy() };
    const onward = { href: accountPath, text: messages.account.signIn };
    return { status, headers, body: errorPage(messages, { ...words, onward }) };
  }
}

/** What is wrong with the form itself; no password is checked for it. */
function faultOf({ password, newPassword, repeated }: PasswordForm): PasswordFault | undefined {
  if (password === '' || password.length > passwordLengthMax) return { kind: 'wrong', field: 'password' };
  if (newPassword.length < passwordLengthMin || newPassword.length > passwordLengthMax) {
    return { kind: 'length', field: 'new_password' };
  }
  if (newPassword !== repeated) return { kind: 'different', field: 'repeated' };
  return newPassword === password ? { kind: 'same', field: 'new_password' } : undefined;
}
