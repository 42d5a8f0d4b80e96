// The account pages.
import { userRoles } from '@tradewind/shared-types';
import { passwordLengthMin } from '../users/credential-limits.js';
import type { User } from '../users/users.types.js';
import { accountPath } from './account-path.js';
import { Markup, markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';
import { page, permissionsOf, problemSummary } from './pages.js';
import { passwordField, showPasswordScript } from './password-field.js';

export interface AccountPage {
  csrf: string;
}

interface Paging {
  pageNumber: number;
  hasNext: boolean;
}

export function overviewPage(
  messages: PageMessages,
  {
    csrf,
    user,
    mayVerify,
    done,
  }: AccountPage & { user: User; mayVerify: boolean; done: 'password' | 'mailed' | undefined },
): string {
  const { account } = messages;
  const facts: [string, string | null][] = [
    [account.email, `${user.email} (${user.emailVerified ? account.verified : account.unverified})`],
    [account.name, user.name],
    [account.company, user.companyId],
    [account.role, userRoles.includes(user.userRole) ? user.userRole : null],
  ];
  const links: [string, { title: string; meaning: string }][] = [
    ['password', account.password],
    ['sessions', account.sessions],
    ['applications', account.applications],
    ['two-factor', messages.secondFactor.account],
  ];
  return page(
    messages,
    account.title,
    markup`${done && notice(done === 'mailed' ? messages.links.verify.sent : account.password.done)}
      <h1>${account.title}</h1>
      <dl class="facts">
        ${facts.map(
          ([name, value]) =>
            value !== null &&
            markup`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
        )}
      </dl>
      <ul class="menu">
        ${links.map(
          ([path, { title, meaning }]) =>
            markup`<li><a href="${accountPath}/${path}"><strong>${title}</strong><span>${meaning}</span></a></li> `,
        )}
      </ul>
      ${mayVerify && actionForm('verify-email/send', csrf, markup`<button class="secondary" type="submit">${messages.links.verify.send}</button>`)}
      ${actionForm('sign-out', csrf, markup`<button class="secondary" type="submit">${messages.signOut.submit}</button>`)}`,
    'account',
  );
}

export interface PasswordFault {
  kind: 'wrong' | 'length' | 'different' | 'same' | 'changed' | 'throttled';
  /** The field to look at first. */
  field?: string;
  minutes?: number;
}

export function passwordPage(
  messages: PageMessages,
  { csrf, version, fault }: AccountPage & { version: number; fault: PasswordFault | undefined },
): string {
  const { password } = messages.account;
  const problem = fault && { text: faultText(messages, fault), field: fault.field };
  const field = (name: string, label: string, isNew: boolean, hint?: string) =>
    passwordField(messages, {
      ...{ name, label, hint, isInvalid: fault?.field === name },
      ...{ autocomplete: isNew ? 'new-password' : 'current-password', takesFocus: !fault && name === 'password' },
    });
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${password.title}` : password.title,
    markup`${back(messages)}${problem && problemSummary(messages, problem)}
      <h1>${password.title}</h1>
      <p class="lead">${password.lead}</p>
      ${actionForm(
        'password',
        csrf,
        markup`<input type="hidden" name="version" value="${version}">
        ${field('password', password.old, false)}
        ${field('new_password', password.fresh, true, password.hint(passwordLengthMin))}
        ${field('repeated', password.repeated, true)}
        <button class="primary" type="submit">${password.submit}</button>`,
      )}
      <script>${new Markup(showPasswordScript)}</script>`,
    'account',
  );
}

export interface ShownSession {
  uid: string;
  isThis: boolean;
  browser: string | undefined;
  address: string | undefined;
  signedInAt: Date | undefined;
  usedAt: Date;
}

export function sessionsPage(
  messages: PageMessages,
  given: AccountPage & Paging & { sessions: ShownSession[]; done: 'ended' | 'gone' | 'unchanged' | undefined },
): string {
  const { sessions: words } = messages.account;
  const { csrf, done } = given;
  const item = ({ uid, isThis, browser = words.program, address, signedInAt, usedAt }: ShownSession) =>
    markup`<li>
      <div>
        <strong>${browser}</strong>${isThis && markup` <span class="badge">${words.current}</span>`}
        <span>${words.used}: ${time(messages, usedAt)}${address !== undefined && ` · ${address}`}</span>
        ${signedInAt && markup`<span>${words.signedIn}: ${time(messages, signedInAt)}</span>`}
      </div>
      ${
        !isThis &&
        actionForm(
          'sessions/end',
          csrf,
          markup`<input type="hidden" name="session" value="${uid}">
          <button class="secondary" type="submit" aria-label="${words.end}: ${browser}">${words.end}</button>`,
        )
      }
    </li>`;
  return page(
    messages,
    words.title,
    markup`${back(messages)}${done && notice(words[done])}
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <ul class="rows">${given.sessions.map(item)}</ul>
      ${turnPages(messages, 'sessions', given)}
      <h2 class="other">${words.everywhere}</h2>
      <p>${words.everywhereMeaning}</p>
      ${actionForm('sessions/end-all', csrf, markup`<button class="danger" type="submit">${words.everywhere}</button>`)}`,
    'account',
  );
}

export interface ShownApplication {
  clientId: string;
  name: string;
  isUnverified: boolean;
  scopes: string[];
  resources: string[];
  usedAt: Date;
}

export function applicationsPage(
  messages: PageMessages,
  given: AccountPage & Paging & { applications: ShownApplication[]; done: 'revoked' | 'gone' | undefined },
): string {
  const { applications: words } = messages.account;
  const { csrf, done, applications } = given;
  const item = ({ clientId, name, isUnverified, scopes, resources, usedAt }: ShownApplication) =>
    markup`<li>
      <div>
        <strong>${name}</strong>${isUnverified && markup` <span class="badge">${words.unverified}</span>`}
        <ul class="permissions">
          ${permissionsOf(messages, { resources, scopes }).map((permission) => markup`<li>${permission.name}</li> `)}
        </ul>
        <span>${words.used}: ${time(messages, usedAt)}</span>
      </div>
      ${actionForm(
        'applications/revoke',
        csrf,
        markup`<input type="hidden" name="application" value="${clientId}">
        <button class="secondary" type="submit" aria-label="${words.revoke}: ${name}">${words.revoke}</button>`,
      )}
    </li>`;
  return page(
    messages,
    words.title,
    markup`${back(messages)}${done && notice(words[done])}
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      ${
        applications.length === 0
          ? markup`<p>${words.none}</p>`
          : markup`<ul class="rows">${applications.map(item)}</ul>`
      }
      ${turnPages(messages, 'applications', given)}`,
    'account',
  );
}

function faultText(messages: PageMessages, { kind, minutes = 1 }: PasswordFault): string {
  const { faults } = messages.account.password;
  switch (kind) {
    case 'throttled':
      return messages.errors.throttled(minutes);
    case 'length':
      return faults.length(passwordLengthMin);
    default:
      return faults[kind];
  }
}

export const actionForm = (action: string, csrf: string, content: Markup): Markup =>
  markup`<form method="post" action="${accountPath}/${action}">
    <input type="hidden" name="_csrf" value="${csrf}">
    ${content}
  </form>`;

export const notice = (text: string): Markup => markup`<p class="notice" role="status">${text}</p>`;

export const back = ({ account }: PageMessages): Markup =>
  markup`<p class="back"><a href="${accountPath}">${account.title}</a></p>`;

function turnPages({ account }: PageMessages, part: string, { pageNumber, hasNext }: Paging): Markup | false {
  const to = (number: number, text: string) => markup`<a href="${accountPath}/${part}?page=${number}">${text}</a>`;
  return (
    (pageNumber > 1 || hasNext) &&
    markup`<p class="links">
      ${pageNumber > 1 && to(pageNumber - 1, account.previous)} ${hasNext && to(pageNumber + 1, account.next)}
    </p>`
  );
}

/** In UTC: without a script, nobody knows where the reader is. */
export function time({ language }: PageMessages, at: Date): Markup {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return markup`<time datetime="${at.toISOString()}">${format.format(at)} UTC</time>`;
}
