// The pages of the login, of consent and of errors. Their frame and look are those of all services (service-kit).
import { Markup, markup, page as framedPage } from '@tradewind/service-kit';
import { emailLengthMax } from '../users/credential-limits.js';
import type { PageMessages, Permission } from './page-messages.js';
import { passwordField, showPasswordScript } from './password-field.js';
import { accountPath } from './account-path.js';

/** @param kind account pages are wider */
export function page({ language }: PageMessages, title: string, body: Markup, kind?: 'account'): string {
  return framedPage({ language, title, body, isWide: kind === 'account' });
}

export interface LoginPage {
  uid: string;
  csrf: string;
  clientName: string;
  email?: string | undefined;
  /** Who may continue without signing in. */
  signedInAs?: string | undefined;
  /** The form was filled in with the address of whoever is signed in; a link empties it. */
  mayStartAgain?: boolean | undefined;
  /** For the account pages themselves. */
  isAccount?: boolean | undefined;
  /** Where mail is set. */
  mayReset?: boolean | undefined;
  /** What went wrong with the last attempt; `field` is the one to look at first. */
  problem?: { text: string; field?: 'email' } | undefined;
}

export function loginPage(messages: PageMessages, given: LoginPage): string {
  const { uid, csrf, clientName, email, signedInAs, problem } = given;
  const { signIn, errors } = messages;
  const takesFocus = !problem && signedInAs === undefined;
  const isInvalid = problem?.field !== undefined;
  const invalid = isInvalid ? new Markup(' aria-invalid="true" aria-describedby="problem-text"') : undefined;
  return page(
    messages,
    problem ? `${errors.prefix}: ${signIn.title}` : signIn.title,
    markup`${problem && problemSummary(messages, problem)}
      <h1>${signIn.title}</h1>
      <p class="lead">${given.isAccount ? messages.account.signInLead : signIn.lead(clientName)}</p>
      ${
        signedInAs !== undefined &&
        markup`<form method="post" action="/login/${uid}/confirm">
          <input type="hidden" name="_csrf" value="${csrf}">
          <button class="primary" type="submit">${signIn.continueAs(signedInAs)}</button>
        </form>
        <h2 class="other">${signIn.other}</h2>`
      }
      <form method="post" action="/login/${uid}/submit">
        <input type="hidden" name="_csrf" value="${csrf}">
        <label for="email">${signIn.email}</label>
        <input
          id="email"
          name="email"
          type="email"
          inputmode="email"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="${emailLengthMax}"
          required
          value="${email ?? ''}"
          ${invalid}${takesFocus && !email && new Markup(' autofocus')}
       >
        ${passwordField(messages, {
          ...{ name: 'password', label: signIn.password, autocomplete: 'current-password', isInvalid },
          takesFocus: takesFocus && Boolean(email),
        })}
        <button class="primary" type="submit">${signIn.submit}</button>
      </form>
      ${
        (given.mayStartAgain || given.mayReset) &&
        markup`<p class="links">
        ${given.mayReset && markup`<a href="${accountPath}/forgotten">${messages.links.forgotten}</a>`}
        ${given.mayStartAgain && markup`<a href="/login/${uid}?other=yes">${signIn.switchAccount}</a>`}
      </p>`
      }
      ${cancelForm(messages, uid, csrf)}
      <script>${new Markup(showPasswordScript)}</script>`,
  );
}

/** What tokens of the resources and scopes allow. */
export function permissionsOf(messages: PageMessages, given: { resources: string[]; scopes: string[] }): Permission[] {
  const { resources, otherResource, scopes } = messages;
  return [
    ...given.resources.map(
      (resource) => resources[resource] ?? { name: otherResource.name(resource), meaning: otherResource.meaning },
    ),
    // An unknown scope is not granted.
    ...given.scopes.flatMap((scope) => scopes[scope] ?? []),
  ];
}

export interface ConsentPage {
  uid: string;
  csrf: string;
  clientName: string;
  clientLinks: { termsUrl?: string | undefined; privacyUrl?: string | undefined };
  email: string;
  /** The client registered itself. */
  isUnverified: boolean;
  /** Identifiers of resources, without the issuer. */
  resources: string[];
  scopes: string[];
  destination: { label: string; isLocal: boolean };
}

export function consentPage(messages: PageMessages, given: ConsentPage): string {
  const { consent } = messages;
  const { termsUrl, privacyUrl } = given.clientLinks;
  const permissions = permissionsOf(messages, given);
  return page(
    messages,
    consent.title(given.clientName),
    markup`<h1>${consent.title(given.clientName)}</h1>
      ${given.isUnverified && markup`<p class="warning">${consent.unverified}</p>`}
      <dl class="facts">
        <div>
          <dt>${consent.signedInAs}</dt>
          <dd>${given.email}</dd>
        </div>
        <div>
          <dt>${consent.redirectsTo}</dt>
          <dd>${given.destination.label}</dd>
        </div>
      </dl>
      ${given.destination.isLocal && markup`<p class="warning">${consent.localWarning}</p>`}
      <p id="scopes-lead">${consent.lead(given.clientName)}</p>
      <ul class="scopes" aria-labelledby="scopes-lead">
        ${permissions.map(({ name, meaning }) => markup`<li><strong>${name}</strong><span>${meaning}</span></li> `)}
      </ul>
      <div class="actions">
        <form method="post" action="/login/${given.uid}/confirm">
          <input type="hidden" name="_csrf" value="${given.csrf}">
          <button class="primary" type="submit">${consent.submit}</button>
        </form>
        ${cancelForm(messages, given.uid, given.csrf)}
      </div>
      <form method="post" action="/login/${given.uid}/switch">
        <input type="hidden" name="_csrf" value="${given.csrf}">
        <button class="link" type="submit">${messages.signIn.switchAccount}</button>
      </form>
      ${
        (termsUrl ?? privacyUrl) &&
        markup`<p class="links">
          ${termsUrl && linkTo(termsUrl, consent.terms)}${privacyUrl && linkTo(privacyUrl, consent.privacy)}
        </p>`
      }`,
  );
}

/** Opens a new tab, which has no access to this page. */
const linkTo = (url: string, text: string): Markup =>
  markup`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>`;

export interface ForwardPage {
  title: string;
  text: string;
  action: string;
  fields: [name: string, value: string][];
}

/** Posts itself where scripts run, and has a button where they do not. */
export const forwardScript = 'document.forms[0].submit()';

export function forwardPage(messages: PageMessages, { title, text, action, fields }: ForwardPage): string {
  return page(
    messages,
    title,
    markup`<h1>${title}</h1>
      <p>${text}</p>
      <form method="post" action="${action}">
        ${fields.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}
        <button class="primary" type="submit">${messages.forward.submit}</button>
      </form>
      <script>${new Markup(forwardScript)}</script>`,
  );
}

export interface ErrorPage {
  title: string;
  text: string;
  /** The standard's code and sentence, for developers. */
  technical?: { error: string; description: string | undefined } | undefined;
  /** Where the reader can go from here. */
  onward?: { href: string; text: string } | undefined;
}

/** From a page that has no other link. */
export const onwardFrom = ({ account }: PageMessages) => ({ href: accountPath, text: account.onward });

export function errorPage(messages: PageMessages, { title, text, technical, onward }: ErrorPage): string {
  return page(
    messages,
    title,
    markup`<h1>${title}</h1>
      <p>${text}</p>
      ${onward && markup`<p class="links"><a href="${onward.href}">${onward.text}</a></p>`}
      ${
        technical &&
        markup`<p class="technical">
          ${messages.errors.details}:<code
            >${technical.error}${technical.description && `: ${technical.description}`}</code
          >
        </p>`
      }`,
  );
}

export function problemSummary(messages: PageMessages, problem: { text: string; field?: string | undefined }): Markup {
  const text = problem.field ? markup`<a href="#${problem.field}">${problem.text}</a>` : markup`${problem.text}`;
  return markup`<div class="problem" role="alert" tabindex="-1" autofocus>
    <h2>${messages.errors.summary}</h2>
    <p id="problem-text">${text}</p>
  </div>`;
}

export function cancelForm(messages: PageMessages, uid: string, csrf: string): Markup {
  return markup`<form method="post" action="/login/${uid}/abort">
    <input type="hidden" name="_csrf" value="${csrf}">
    <button class="secondary" type="submit">${messages.cancel}</button>
  </form>`;
}
