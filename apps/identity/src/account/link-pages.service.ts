// The pages behind links of mails. To open one changes nothing: scanners of mails open links. The form does, once.
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import { AccountLinks } from '../account-links/account-links.service.js';
import type { LinkKind } from '../account-links/account-links.store.js';
import { AppConfig } from '../app.config.js';
import { cookieNames, cookieValue } from '../cookies.js';
import { csrfToken, isCsrfToken, makeNonce } from '../login-pages/csrf-tokens.js';
import type { PageForm } from '../login-pages/login-pages.dto.js';
import type { PageAnswer } from '../login-pages/page-answer.js';
import { accountPath } from '../pages/account-path.js';
import { askPage, setPasswordPage, verifyEmailPage, type SetPasswordFault } from '../pages/link-pages.js';
import { messagesFor, type PageMessages } from '../pages/page-messages.js';
import { errorPage } from '../pages/pages.js';
import { contentSecurityPolicy, type PageScript } from '../pages/security-headers.js';
import { passwordLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import { emailKey } from '../users/email-key.js';
import type { AskForm, NewPasswordForm, TokenForm } from './account.dto.js';
import { AccountVisits, type PageRequest } from './account-visits.js';

/** What the CSRF tokens are for; nobody is signed in. */
const formStep = { uid: '', prompt: 'link' };

/** Characters of a token, which has 43. */
const tokenLengthMax = 100;

interface LinkVisit {
  messages: PageMessages;
  nonce: string;
}

@Injectable()
export class LinkPages {
  constructor(
    private readonly config: AppConfig,
    private readonly links: AccountLinks,
    private readonly visits: AccountVisits,
  ) {}

  async askForm(request: PageRequest): Promise<PageAnswer> {
    return this.visit(request, async (visit) => {
      this.assertMailed();
      return this.page(visit, 200, (csrf) => askPage(visit.messages, { csrf }));
    });
  }

  /** The same answer whether or not there is such an account. */
  async ask(request: PageRequest, form: AskForm): Promise<PageAnswer> {
    return this.visit(request, async (visit) => {
      this.assertMailed();
      this.assertForm(visit, form);
      const { messages } = visit;
      const key = emailKey(form.email);
      // No account has an address that cannot be one.
      const mail = { kind: 'password', emailKey: key ?? '', language: messages.language } as const;
      const waitSeconds = key === undefined ? 0 : await this.links.request(mail);
      if (waitSeconds > 0) return this.throttled(visit, waitSeconds);
      return this.done(visit, messages.links.ask.sent);
    });
  }

  async setPasswordForm(request: PageRequest, token: string): Promise<PageAnswer> {
    return this.withLink(request, token, ['invitation', 'password'], (visit) => this.passwordPage(visit, token));
  }

  async setPassword(request: PageRequest, form: NewPasswordForm): Promise<PageAnswer> {
    const { token, newPassword, repeated } = form;
    return this.visit(request, async (visit) => {
      this.assertForm(visit, form);
      if (!(await this.isGood(token, ['invitation', 'password']))) return this.bad(visit);
      if (newPassword.length < passwordLengthMin || newPassword.length > passwordLengthMax) {
        return this.passwordPage(visit, token, 'length');
      }
      if (newPassword !== repeated) return this.passwordPage(visit, token, 'different');
      if (!(await this.links.setPassword(token, newPassword))) return this.bad(visit);
      const { links, account } = visit.messages;
      return this.done(visit, links.set.done, { href: accountPath, text: account.signIn });
    });
  }

  async verifyEmailForm(request: PageRequest, token: string): Promise<PageAnswer> {
    return this.withLink(request, token, ['email'], (visit) =>
      this.page(visit, 200, (csrf) => verifyEmailPage(visit.messages, { csrf, token })),
    );
  }

  async verifyEmail(request: PageRequest, form: TokenForm): Promise<PageAnswer> {
    return this.visit(request, async (visit) => {
      this.assertForm(visit, form);
      const isVerified = form.token.length <= tokenLengthMax && (await this.links.verifyEmail(form.token));
      return isVerified ? this.done(visit, visit.messages.links.verify.done) : this.bad(visit);
    });
  }

  /** For somebody who is signed in. */
  async sendVerification(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    this.assertMailed();
    return this.visits.visit(request, '', async (visit) => {
      this.visits.assertForm(visit, form);
      const { user, messages } = visit;
      const key = emailKey(user.email);
      if (user.emailVerified || key === undefined) return { status: 303, location: accountPath };
      const mail = { kind: 'email', emailKey: key, language: messages.language } as const;
      const waitSeconds = await this.links.request(mail);
      if (waitSeconds > 0) return this.throttled(visit, waitSeconds);
      return { status: 303, location: `${accountPath}?done=mailed` };
    });
  }

  private withLink(
    request: PageRequest,
    token: string,
    kinds: readonly LinkKind[],
    show: (visit: LinkVisit) => PageAnswer,
  ): Promise<PageAnswer> {
    return this.visit(request, async (visit) => ((await this.isGood(token, kinds)) ? show(visit) : this.bad(visit)));
  }

  private visit({ request }: PageRequest, take: (visit: LinkVisit) => Promise<PageAnswer>): Promise<PageAnswer> {
    return this.visits.inUnit(request, () => {
      const messages = messagesFor(undefined, request.headers['accept-language']);
      const nonce = cookieValue(request.headers.cookie, cookieNames(this.config.OAUTH_ISSUER).csrf) ?? makeNonce();
      return take({ messages, nonce });
    });
  }

  private async isGood(token: string, kinds: readonly LinkKind[]): Promise<boolean> {
    return token.length <= tokenLengthMax && this.links.isGood(token, kinds);
  }

  private passwordPage(visit: LinkVisit, token: string, fault?: SetPasswordFault): PageAnswer {
    const render = (csrf: string) => setPasswordPage(visit.messages, { csrf, token, fault });
    return this.page(visit, fault ? 400 : 200, render, 'show-password');
  }

  private page(
    { nonce }: LinkVisit,
    status: number,
    render: (csrf: string) => string,
    script?: PageScript,
  ): PageAnswer {
    const { OAUTH_ISSUER: issuer, COOKIE_KEYS: keys } = this.config;
    const secure = issuer.startsWith('https:') ? '; Secure' : '';
    return {
      status,
      headers: {
        'Set-Cookie': `${cookieNames(issuer).csrf}=${nonce}; Path=${accountPath}; HttpOnly; SameSite=Lax${secure}`,
        'Content-Security-Policy': contentSecurityPolicy(undefined, script),
      },
      body: render(csrfToken(keys, { ...formStep, nonce })),
    };
  }

  private bad(visit: LinkVisit): PageAnswer {
    const { links, account } = visit.messages;
    const onward = this.links.areMailed
      ? { href: `${accountPath}/forgotten`, text: links.ask.title }
      : { href: accountPath, text: account.signIn };
    return { ...this.done(visit, links.bad, onward), status: 400 };
  }

  private done(
    { messages }: LinkVisit,
    words: { title: string; text: string },
    onward?: { href: string; text: string },
  ): PageAnswer {
    const headers = { 'Content-Security-Policy': contentSecurityPolicy() };
    return { status: 200, headers, body: errorPage(messages, { ...words, onward }) };
  }

  private throttled(visit: LinkVisit, seconds: number): PageAnswer {
    const { links, errors } = visit.messages;
    const text = errors.throttled(Math.ceil(seconds / 60));
    const page = this.done(visit, { title: links.ask.title, text });
    return { ...page, status: 429, headers: { ...page.headers, 'Retry-After': String(seconds) } };
  }

  private assertForm({ nonce }: LinkVisit, { _csrf }: PageForm): void {
    if (isCsrfToken(this.config.COOKIE_KEYS, { ...formStep, nonce }, _csrf)) return;
    throw new ServiceError({ code: 'identity.form_forged', status: 403, message: 'The form is not valid.' });
  }

  private assertMailed(): void {
    if (this.links.areMailed) return;
    throw new ServiceError({ code: 'request.not_found', status: 404, message: 'No mails are sent here' });
  }
}
