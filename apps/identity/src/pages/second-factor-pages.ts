// The pages of second factors: at a sign-in, and of the account.
import { accountPath } from './account-path.js';
import { actionForm, back, notice, time, type AccountPage } from './account-pages.js';
import { Markup, markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';
import { cancelForm, page, problemSummary } from './pages.js';
import { passkeyForm, passkeyScript } from './passkey-form.js';
import { qrCode } from './qr-code.js';

/** Of the account pages. */
export const secondFactorPath = 'two-factor';

/** Characters of a code that is typed; recovery codes have 19. */
export const codeLengthMax = 40;

interface LoginStep {
  uid: string;
  csrf: string;
}

export interface SecondFactorPage extends LoginStep {
  hasApp: boolean;
  /** What the browser needs to use a passkey, as JSON. */
  passkeyOptions: string | undefined;
  /** Asks for a recovery code. */
  isRecovery: boolean;
  problem: string | undefined;
}

export function secondFactorPage(messages: PageMessages, given: SecondFactorPage): string {
  const { uid, csrf, passkeyOptions, problem } = given;
  const { signIn: words } = messages.secondFactor;
  const { isRecovery } = given;
  const asksForCode = given.hasApp || isRecovery;
  const asksForPasskey = passkeyOptions !== undefined && !isRecovery;
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${words.title}` : words.title,
    markup`${problem && problemSummary(messages, { text: problem, field: asksForCode ? 'code' : undefined })}
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      ${
        asksForPasskey &&
        passkeyForm(messages, {
          ...{ action: `/login/${uid}/passkey`, csrf, kind: 'get', options: passkeyOptions },
          ...{ submit: words.passkey, isPrimary: !asksForCode },
        })
      }
      ${
        asksForCode &&
        markup`<form method="post" action="/login/${uid}/code${isRecovery && '?recovery=yes'}">
        <input type="hidden" name="_csrf" value="${csrf}">
        ${codeField(messages, { isRecovery, isInvalid: problem !== undefined })}
        <button class="primary" type="submit">${words.submit}</button>
      </form>`
      }
      <p class="links">
        ${
          isRecovery
            ? markup`<a href="/login/${uid}">${words.back}</a>`
            : markup`<a href="/login/${uid}?recovery=yes">${words.useRecovery}</a>`
        }
        <a href="/login/${uid}?other=yes">${messages.signIn.switchAccount}</a>
      </p>
      ${cancelForm(messages, uid, csrf)}
      ${asksForPasskey && markup`<script>${new Markup(passkeyScript)}</script>`}`,
  );
}

interface AppForm {
  app: { setUp: string; uri: string; secret: string };
}

export interface SetUpPage extends LoginStep, AppForm {
  passkey: { setUp: string; options: string } | undefined;
  problem: string | undefined;
}

/** For whoever needs a second factor and has none. */
export function setUpPage(messages: PageMessages, given: SetUpPage): string {
  const { uid, csrf, app, passkey, problem } = given;
  const { signIn: words, appPage: appWords, account } = messages.secondFactor;
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${words.setUpTitle}` : words.setUpTitle,
    markup`${problem && problemSummary(messages, { text: problem, field: 'code' })}
      <h1>${words.setUpTitle}</h1>
      <p class="lead">${words.setUpLead}</p>
      <h2>${account.app}</h2>
      <p>${appWords.lead}</p>
      ${appForm(messages, { action: `/login/${uid}/set-up`, csrf, app, isInvalid: problem !== undefined })}
      ${
        passkey &&
        markup`<h2 class="other">${account.addPasskey}</h2>
        ${passkeyForm(messages, {
          ...{ action: `/login/${uid}/set-up`, csrf, kind: 'create', ...passkey },
          ...{ submit: messages.secondFactor.passkeyPage.submit, isPrimary: false },
        })}`
      }
      <p class="links"><a href="/login/${uid}?other=yes">${messages.signIn.switchAccount}</a></p>
      ${cancelForm(messages, uid, csrf)}
      ${passkey && markup`<script>${new Markup(passkeyScript)}</script>`}`,
  );
}

/** They are on this page alone. */
export function recoveryCodesPage(messages: PageMessages, given: { codes: string[]; onward: string }): string {
  const { codesPage: words } = messages.secondFactor;
  return page(
    messages,
    words.title,
    markup`<h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <ul class="codes" aria-label="${words.list}">${given.codes.map((code) => markup`<li>${code}</li> `)}</ul>
      <p class="links"><a href="${given.onward}">${words.onward}</a></p>`,
  );
}

export type SecondFactorDone = keyof PageMessages['secondFactor']['account']['done'];
export const secondFactorDone: readonly SecondFactorDone[] = [
  ...(['added', 'removed', 'gone', 'needed', 'exists', 'full', 'expired'] as const),
];

export interface ShownFactor {
  /** Of a passkey; the app has none. */
  id?: string | undefined;
  name: string;
  addedAt: Date;
  usedAt?: Date | undefined;
}

export function twoFactorPage(
  messages: PageMessages,
  given: AccountPage & {
    hasApp: boolean;
    factors: ShownFactor[];
    recoveryCodes: number;
    mayAddPasskey: boolean;
    done: SecondFactorDone | undefined;
  },
): string {
  const { account: words } = messages.secondFactor;
  const { csrf, factors, done } = given;
  const item = ({ id, name, addedAt, usedAt }: ShownFactor) =>
    markup`<li>
      <div>
        <strong>${name}</strong>
        <span>${words.added}: ${time(messages, addedAt)}</span>
        ${usedAt && markup`<span>${words.used}: ${time(messages, usedAt)}</span>`}
      </div>
      ${actionForm(
        `${secondFactorPath}/remove`,
        csrf,
        markup`${id !== undefined && markup`<input type="hidden" name="passkey" value="${id}">`}
        <button class="secondary" type="submit" aria-label="${words.remove}: ${name}">${words.remove}</button>`,
      )}
    </li>`;
  const links: [string, string][] = [
    ...(given.hasApp ? [] : [['app', words.addApp] as [string, string]]),
    ...(given.mayAddPasskey ? [['passkey', words.addPasskey] as [string, string]] : []),
  ];
  return page(
    messages,
    words.title,
    markup`${back(messages)}${done && notice(words.done[done])}
      <h1>${words.title}</h1>
      <p class="lead">${factors.length === 0 ? words.leadOff : words.lead}</p>
      ${factors.length > 0 && markup`<ul class="rows">${factors.map(item)}</ul>`}
      ${
        links.length > 0 &&
        markup`<ul class="menu">
        ${links.map(([path, text]) => markup`<li><a href="${accountPath}/${secondFactorPath}/${path}"><strong>${text}</strong></a></li> `)}
      </ul>`
      }
      ${
        factors.length > 0 &&
        markup`<h2 class="other">${words.codes}</h2>
      <p>${words.codesLeft(given.recoveryCodes)}</p>
      ${actionForm(`${secondFactorPath}/codes`, csrf, markup`<button class="secondary" type="submit">${words.renew}</button>`)}`
      }`,
    'account',
  );
}

export function addAppPage(
  messages: PageMessages,
  given: AccountPage & AppForm & { problem: string | undefined },
): string {
  const { appPage: words } = messages.secondFactor;
  const { csrf, app, problem } = given;
  const action = `${accountPath}/${secondFactorPath}/app`;
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${words.title}` : words.title,
    markup`${back(messages)}${problem && problemSummary(messages, { text: problem, field: 'code' })}
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      ${appForm(messages, { action, csrf, app, isInvalid: problem !== undefined })}`,
    'account',
  );
}

export function addPasskeyPage(
  messages: PageMessages,
  given: AccountPage & { passkey: { setUp: string; options: string }; problem: string | undefined },
): string {
  const { passkeyPage: words } = messages.secondFactor;
  const { csrf, passkey, problem } = given;
  const action = `${accountPath}/${secondFactorPath}/passkey`;
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${words.title}` : words.title,
    markup`${back(messages)}${problem && problemSummary(messages, { text: problem })}
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      ${passkeyForm(messages, { action, csrf, kind: 'create', ...passkey, submit: words.submit, isPrimary: true })}
      <script>${new Markup(passkeyScript)}</script>`,
    'account',
  );
}

function appForm(
  messages: PageMessages,
  { action, csrf, app, isInvalid }: AppForm & { action: string; csrf: string; isInvalid: boolean },
): Markup {
  const { appPage: words } = messages.secondFactor;
  return markup`${qrCode(app.uri, words.picture)}
      <p class="technical">${words.key}:<code>${(app.secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
      <form method="post" action="${action}">
        <input type="hidden" name="_csrf" value="${csrf}">
        <input type="hidden" name="set_up" value="${app.setUp}">
        ${codeField(messages, { isRecovery: false, isInvalid })}
        <button class="primary" type="submit">${words.submit}</button>
      </form>`;
}

function codeField(
  { secondFactor }: PageMessages,
  { isRecovery, isInvalid }: { isRecovery: boolean; isInvalid: boolean },
): Markup {
  const { signIn: words } = secondFactor;
  const kind = isRecovery
    ? new Markup('autocomplete="off" autocapitalize="none" spellcheck="false"')
    : new Markup('autocomplete="one-time-code" inputmode="numeric"');
  return markup`<label for="code">${isRecovery ? words.recoveryCode : words.code}</label>
        <p class="hint" id="code-hint">${isRecovery ? words.recoveryHint : words.codeHint}</p>
        <input id="code" name="code" type="text" ${kind} maxlength="${codeLengthMax}" required
          aria-describedby="${isInvalid && 'problem-text '}code-hint"${
            isInvalid ? new Markup(' aria-invalid="true"') : new Markup(' autofocus')
          }>`;
}
