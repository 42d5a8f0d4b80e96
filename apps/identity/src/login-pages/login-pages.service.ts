// The steps that a person takes between an authorization request and its answer. They are the password, the second
// factor where there is one, and the consent; a person may also cancel.
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, type Client, type InteractionResults } from 'oidc-provider';
import type Provider from 'oidc-provider';
import { findPageLanguage } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { accountClientId } from '../oidc/account-client.js';
import { byPassword, byPasswordAnd, type Authentication } from '../oidc/policy/authentication.js';
import { CurrentProvider } from '../oidc/current-provider.js';
import { switchAccount } from '../oidc/provider-configuration.js';
import { findAudience } from '../oidc/policy/resources.js';
import { formActionSource, redirectDestination } from '../clients/redirect-uri-policy.js';
import { UnitOfWorkStore } from '../unit-of-work/unit-of-work.store.js';
import { inUnitOfWork, UnitOfWork } from '../unit-of-work/unit-of-work.js';
import { KnownBrowsers } from '../password-login/known-browsers.js';
import { PasswordLogin } from '../password-login/password-login.service.js';
import { SecondFactors } from '../second-factor/second-factors.service.js';
import { emailLengthMax, passwordLengthMax } from '../users/credential-limits.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import { cookieNames, cookieValue } from '../cookies.js';
import type { CodeForm, LoginForm, PageForm, PasskeyAnswerForm, SetUpForm } from './login-pages.dto.js';
import type { PageAnswer } from './page-answer.js';
import { csrfToken, isCsrfToken, makeNonce } from './csrf-tokens.js';
import { browserName } from '../pages/browser-name.js';
import { consentPage, loginPage, type LoginPage } from '../pages/pages.js';
import { recoveryCodesPage, secondFactorPage, setUpPage } from '../pages/second-factor-pages.js';
import { messagesFor, type PageMessages } from '../pages/page-messages.js';
import { shownName } from '../pages/shown-name.js';
import { contentSecurityPolicy, type PageScript } from '../pages/security-headers.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface PageRequest {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** One open interaction and everything that its pages need. */
interface Step extends PageRequest {
  interaction: Interaction;
  client: Client;
  messages: PageMessages;
  nonce: string | undefined;
}

/** Somebody whose password was right, and who has not signed in yet. Kept with the interaction. */
interface Pending {
  accountId: string;
  credentialsVersion: number;
  /** For a passkey; the interaction ends with its answer, so it is used once. */
  challenge: string;
}

@Injectable()
export class LoginPages {
  constructor(
    private readonly config: AppConfig,
    private readonly current: CurrentProvider,
    private readonly units: UnitOfWorkStore,
    private readonly passwordLogin: PasswordLogin,
    private readonly secondFactors: SecondFactors,
    private readonly browsers: KnownBrowsers,
    private readonly audit: AuditLog,
    private readonly users: UsersStore,
  ) {}

  async show(request: PageRequest): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      if (step.interaction.prompt.name === 'consent') return this.consentForm(step);
      const pending = isForOther(step) ? undefined : await this.pendingUser(step);
      return pending ? this.secondFactorForm(step, 200, pending) : this.loginForm(step, 200);
    });
  }

  async submit(request: PageRequest, form: LoginForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      this.assertLoginForm(step, form);
      const { email, password } = form;
      const { errors: words } = step.messages;
      // No account has such credentials: they are not normalized, counted or shown again.
      if (email.length > emailLengthMax || password.length > passwordLengthMax) {
        return this.loginForm(step, 401, { problem: { text: words.credentials, field: 'email' } });
      }
      const { cookie: cookies } = step.request.headers;
      const outcome = await this.passwordLogin.check({ email, password, via: 'form', cookies });
      switch (outcome.kind) {
        case 'ok':
          return this.signIn(step, outcome.user, byPassword);
        case 'second_factor':
          return this.askSecondFactor(step, outcome.user);
        case 'refused':
          return this.loginForm(step, 401, { email, problem: { text: words.credentials, field: 'email' } });
        case 'throttled': {
          const text = throttledText(step, outcome);
          return throttled(await this.loginForm(step, 429, { email, problem: { text } }), outcome);
        }
      }
    });
  }

  /** The second factor: a code, or the answer of a passkey. */
  async prove(request: PageRequest, form: CodeForm | PasskeyAnswerForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      this.assertLoginForm(step, form);
      const pending = await this.pendingUser(step);
      if (!pending) throw new errors.SessionNotFound('interaction session not found');
      const { user, challenge } = pending;
      const proof = 'code' in form ? { code: form.code } : { answer: form.answer, challenge };
      const outcome = await this.secondFactors.check(user, proof, step.request.headers.cookie);
      const { signIn: words } = step.messages.secondFactor;
      switch (outcome.kind) {
        case 'ok':
          return this.signIn(step, user, byPasswordAnd(outcome.means));
        case 'refused':
          return this.secondFactorForm(step, 401, pending, 'code' in form ? words.wrong : words.wrongPasskey);
        case 'throttled':
          return throttled(await this.secondFactorForm(step, 429, pending, throttledText(step, outcome)), outcome);
      }
    });
  }

  /** The first second factor of somebody whose role needs one. */
  async setUp(request: PageRequest, form: SetUpForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      this.assertLoginForm(step, form);
      const pending = await this.pendingUser(step);
      // Whoever has one proves it, and adds others at the account pages.
      if (!pending || pending.user.hasSecondFactor) throw new errors.SessionNotFound('interaction session not found');
      const { user } = pending;
      const { setUp, code, answer } = form;
      const name = browserName(step.request.headers['user-agent']) ?? step.messages.account.sessions.program;
      const added = await (answer === ''
        ? this.secondFactors.addApp(user, { setUp, code })
        : this.secondFactors.addPasskey(user, { setUp, answer, name }));
      const { account, appPage, passkeyPage } = step.messages.secondFactor;
      if (added.kind === 'wrong') {
        return this.setUpForm(step, 400, user, {
          problem: answer === '' ? appPage.wrong : passkeyPage.wrong,
          setUp: answer === '' ? setUp : undefined,
        });
      }
      if (added.kind !== 'added') return this.setUpForm(step, 409, user, { problem: account.done[added.kind] });
      const details = { via: 'form', second_factor: added.means };
      this.audit.record({ event: 'login.succeeded', userId: user.id, details });
      const { location = '', headers } = await this.signIn(step, user, byPasswordAnd(added.means));
      return {
        status: 200,
        headers: { ...headers, 'Content-Security-Policy': contentSecurityPolicy() },
        body: recoveryCodesPage(step.messages, { codes: added.codes ?? [], onward: location }),
      };
    });
  }

  async confirm(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      if (step.interaction.prompt.name === 'select_account') {
        this.assertForm(step, 'select_account', form);
        if (!(await this.signedIn(step))) throw new errors.SessionNotFound('session not found');
        return this.finish(step, { select_account: {} });
      }
      this.assertForm(step, 'consent', form);
      const grantId = await this.grantRequested(step.interaction);
      this.audit.record({
        event: 'consent.given',
        userId: step.interaction.session?.accountId,
        clientId: step.client.clientId,
        details: {
          by: step.interaction.session?.accountId,
          via: 'form',
          scope: step.interaction.params['scope'],
          resource: step.interaction.params['resource'],
        },
      });
      return this.finish(step, { consent: { grantId } });
    });
  }

  /** Leaves the consent page for a login with another account. */
  async switchAccount(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      this.assertForm(step, 'consent', form);
      return this.finish(step, { [switchAccount]: {} });
    });
  }

  async abort(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.inStep(request, async (step) => {
      this.assertForm(step, step.interaction.prompt.name, form);
      this.audit.record({
        event: 'authorization.cancelled',
        userId: step.interaction.session?.accountId,
        clientId: step.client.clientId,
      });
      return this.finish(step, { error: 'access_denied', error_description: 'the user cancelled the request' });
    });
  }

  /** Finds the interaction of this address and browser, takes the step and stores what it wrote. */
  private async inStep(
    { request, reply }: PageRequest,
    take: (step: Step) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    const unit = new UnitOfWork(request.ip);
    return inUnitOfWork(unit, async () => {
      const { provider } = this.current;
      const interaction = await provider.interactionDetails(request.raw, reply.raw);
      if (interaction.uid !== (request.params as { uid: string }).uid)
        throw new errors.SessionNotFound('interaction session not found');
      const client = await provider.Client.find(String(interaction.params['client_id']));
      if (!client) throw new errors.SessionNotFound('interaction session not found');
      const page = await take({
        interaction,
        client,
        messages: messagesFor(interaction.params['ui_locales'], request.headers['accept-language']),
        nonce: cookieValue(request.headers.cookie, cookieNames(this.config.OAUTH_ISSUER).csrf),
        request,
        reply,
      });
      if (!(await this.units.commit(unit))) {
        throw new errors.SessionNotFound('the authorization request was answered already');
      }
      return page;
    });
  }

  private assertForm({ interaction, nonce }: Step, prompt: string, form: PageForm): void {
    const step = { uid: interaction.uid, prompt, nonce };
    if (!isCsrfToken(this.config.COOKIE_KEYS, step, form._csrf)) {
      throw new ServiceError({ code: 'identity.form_forged', status: 403, message: 'The form is not valid.' });
    }
    // A valid token of another step: the form is older than the interaction's state.
    if (interaction.prompt.name !== prompt) throw new errors.SessionNotFound('interaction session not found');
  }

  private assertLoginForm(step: Step, form: PageForm): void {
    const { name } = step.interaction.prompt;
    this.assertForm(step, name === 'select_account' ? name : 'login', form);
  }

  private async signIn(step: Step, user: User, authentication: Authentication): Promise<PageAnswer> {
    await this.noteLanguage(step, user);
    const page = await this.finish(step, {
      login: { accountId: user.id, ...authentication },
      // A login chooses the account.
      ...(step.interaction.prompt.name === 'select_account' ? { select_account: {} } : {}),
    });
    return withHeader(page, 'Set-Cookie', this.browsers.remember(step.request.headers.cookie, user));
  }

  /** Mails that others cause are in the language of the person. */
  private async noteLanguage({ interaction, request }: Step, { id, language }: User): Promise<void> {
    const asked = findPageLanguage(request.headers['accept-language'], interaction.params['ui_locales']);
    if (asked && asked !== language) await this.users.setLanguage(id, asked);
  }

  /** Keeps with the interaction that the password was right. */
  private async askSecondFactor({ request, reply, interaction }: Step, user: User): Promise<PageAnswer> {
    const { id: accountId, credentialsVersion } = user;
    const pending: Pending = { accountId, credentialsVersion, challenge: this.secondFactors.makeChallenge() };
    const result = { second_factor: pending };
    await this.current.provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
    return { status: 303, location: `/login/${interaction.uid}` };
  }

  /** Whose password was right in this interaction, unless it has changed since. */
  private async pendingUser({ interaction }: Step): Promise<{ user: User; challenge: string } | undefined> {
    const pending = interaction.result?.['second_factor'] as Pending | undefined;
    if (pending === undefined || interaction.result?.login !== undefined) return undefined;
    const user = await this.current.findUser(pending.accountId);
    if (!user || user.isDisabled || user.credentialsVersion !== pending.credentialsVersion) return undefined;
    return { user, challenge: pending.challenge };
  }

  private async secondFactorForm(
    step: Step,
    status: number,
    { user, challenge }: { user: User; challenge: string },
    problem?: string,
  ): Promise<PageAnswer> {
    if (!user.hasSecondFactor) return this.setUpForm(step, status, user, { problem });
    const { recovery } = step.request.query as { recovery?: unknown };
    const factors = await this.secondFactors.of(user);
    const { csrf, headers } = this.pageHeaders(step, 'passkey');
    const body = secondFactorPage(step.messages, {
      ...{ uid: step.interaction.uid, csrf, problem },
      hasApp: factors.totpSealed !== null,
      passkeyOptions: await this.secondFactors.requestOptions(factors, challenge),
      isRecovery: recovery !== undefined,
    });
    return { status, headers, body };
  }

  private async setUpForm(
    step: Step,
    status: number,
    user: User,
    { problem, setUp }: { problem: string | undefined; setUp?: string | undefined },
  ): Promise<PageAnswer> {
    const { csrf, headers } = this.pageHeaders(step, 'passkey');
    const body = setUpPage(step.messages, {
      ...{ uid: step.interaction.uid, csrf, problem },
      app: (setUp && this.secondFactors.sameApp(user, setUp)) || this.secondFactors.newApp(user),
      passkey: this.secondFactors.passkeysArePossible ? await this.secondFactors.newPasskey(user) : undefined,
    });
    return { status, headers, body };
  }

  private async loginForm(
    step: Step,
    status: number,
    more: Pick<LoginPage, 'email' | 'problem'> = {},
  ): Promise<PageAnswer> {
    const { interaction, client, messages } = step;
    const { name, reasons } = interaction.prompt;
    const signedIn = await this.signedIn(step);
    const { csrf, headers } = this.pageHeaders(step, 'show-password');
    const isOther = isForOther(step) || reasons.includes(switchAccount);
    const hint = interaction.params['login_hint'];
    const hinted = typeof hint === 'string' && hint.length <= emailLengthMax ? hint : undefined;
    const expected = isOther ? undefined : (hinted ?? (name === 'login' ? signedIn?.email : undefined));
    return {
      status,
      headers,
      body: loginPage(messages, {
        uid: interaction.uid,
        csrf,
        clientName: nameOf(client),
        isAccount: client.clientId === accountClientId,
        signedInAs: name === 'select_account' ? signedIn?.email : undefined,
        mayReset: this.config.SMTP_URL !== undefined,
        mayStartAgain: more.email === undefined && expected !== undefined,
        ...more,
        email: more.email ?? expected,
      }),
    };
  }

  /** The user who is signed in at this browser, unless disabled. */
  private async signedIn({ interaction }: Step): Promise<User | undefined> {
    const accountId = interaction.session?.accountId;
    if (accountId === undefined) return undefined;
    const user = await this.current.findUser(accountId);
    return user?.isDisabled ? undefined : user;
  }

  private async consentForm(step: Step): Promise<PageAnswer> {
    const { interaction, client, messages } = step;
    const user = await this.signedIn(step);
    if (!user) throw new errors.SessionNotFound('session not found');
    const { csrf, headers } = this.pageHeaders(step);
    return {
      status: 200,
      headers,
      body: consentPage(messages, {
        uid: interaction.uid,
        csrf,
        clientName: nameOf(client),
        clientLinks: { termsUrl: webUrl(client.tosUri), privacyUrl: webUrl(client.policyUri) },
        isUnverified: (await this.current.clients.rightsOf(client.clientId)).origin === 'registration',
        email: user.email,
        resources: this.resourcesOf(interaction),
        scopes: scopeOf(interaction).split(' ').filter(Boolean),
        destination: redirectDestination(String(interaction.params['redirect_uri'])),
      }),
    };
  }

  /** The resources that the client wants tokens for, without the issuer: the scopes describe that one. */
  private resourcesOf({ params }: Interaction): string[] {
    const wanted = [params['resource'] ?? []].flat() as string[];
    const audiences = wanted.flatMap((resource) => findAudience(resource, this.config) ?? []);
    return [...new Set(audiences)].filter((audience) => audience !== this.config.OAUTH_ISSUER);
  }

  private pageHeaders(
    { interaction, nonce = makeNonce() }: Step,
    script?: PageScript,
  ): { csrf: string; headers: Record<string, string> } {
    const { uid, prompt } = interaction;
    const { OAUTH_ISSUER: issuer } = this.config;
    const redirect = formActionSource(String(interaction.params['redirect_uri']));
    const secure = issuer.startsWith('https:') ? '; Secure' : '';
    return {
      csrf: csrfToken(this.config.COOKIE_KEYS, { uid, prompt: prompt.name, nonce }),
      headers: {
        'Set-Cookie': `${cookieNames(issuer).csrf}=${nonce}; Path=/login/${uid}; HttpOnly; SameSite=Lax${secure}`,
        'Content-Security-Policy': contentSecurityPolicy(redirect, script),
      },
    };
  }

  /** Adds everything that was asked for to the user's grant for this client. */
  private async grantRequested(interaction: Interaction): Promise<string> {
    const { provider } = this.current;
    const { params, prompt, grantId, session } = interaction;
    const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant =
      existing ?? new provider.Grant({ accountId: session?.accountId, clientId: params['client_id'] as string });
    // With prompt=consent the grant may already be complete; then the page showed the requested scope.
    const scope = scopeOf(interaction);
    if (scope) grant.addOIDCScope(scope);
    const details = prompt.details as {
      missingOIDCClaims?: string[];
      missingResourceScopes?: Record<string, string[]>;
    };
    if (details.missingOIDCClaims) grant.addOIDCClaims(details.missingOIDCClaims);
    for (const [resource, scopes] of Object.entries(details.missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, scopes.join(' '));
    }
    for (const resource of [params['resource'] ?? []].flat() as string[]) {
      if (scope) grant.addResourceScope(resource, scope);
    }
    return grant.save();
  }

  private async finish({ request, reply, interaction }: Step, result: InteractionResults): Promise<PageAnswer> {
    const merge = { mergeWithLastSubmission: !('error' in result || switchAccount in result) };
    const location = await this.current.provider.interactionResult(request.raw, reply.raw, result, merge);
    const redirect = formActionSource(String(interaction.params['redirect_uri']));
    return { status: 303, location, headers: { 'Content-Security-Policy': contentSecurityPolicy(redirect) } };
  }
}

const scopeOf = ({ params }: Interaction): string => (typeof params['scope'] === 'string' ? params['scope'] : '');

const nameOf = (client: Client): string => shownName(client.clientName ?? client.clientId);

/** A link from a client's registration is shown only if it is https. */
function webUrl(value: string | undefined): string | undefined {
  return value !== undefined && URL.parse(value)?.protocol === 'https:' ? value : undefined;
}

/** A link of the pages leads to an empty login form. */
const isForOther = ({ request }: Step): boolean => (request.query as { other?: unknown }).other !== undefined;

const throttledText = ({ messages }: Step, { retryAfterSeconds }: { retryAfterSeconds: number }): string =>
  messages.errors.throttled(Math.ceil(retryAfterSeconds / 60));

const throttled = (page: PageAnswer, { retryAfterSeconds }: { retryAfterSeconds: number }): PageAnswer =>
  withHeader(page, 'Retry-After', String(retryAfterSeconds));

const withHeader = (page: PageAnswer, name: string, value: string): PageAnswer => ({
  ...page,
  headers: { ...page.headers, [name]: value },
});
