// The pages behind links of mails, and the one that asks for such a mail.
import { emailLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import { accountPath } from './account-path.js';
import { Markup, markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';
import { page, problemSummary } from './pages.js';
import { passwordField, showPasswordScript } from './password-field.js';

export interface LinkForm {
  csrf: string;
  token: string;
}

export function askPage(messages: PageMessages, { csrf, problem }: { csrf: string; problem?: string }): string {
  const { ask } = messages.links;
  return page(
    messages,
    problem ? `${messages.errors.prefix}: ${ask.title}` : ask.title,
    markup`${problem && problemSummary(messages, { text: problem })}
      <h1>${ask.title}</h1>
      <p class="lead">${ask.lead}</p>
      <form method="post" action="${accountPath}/forgotten">
        <input type="hidden" name="_csrf" value="${csrf}">
        <label for="email">${messages.signIn.email}</label>
        <input id="email" name="email" type="email" inputmode="email" autocomplete="username" autocapitalize="none"
          spellcheck="false" maxlength="${emailLengthMax}" required${!problem && new Markup(' autofocus')}>
        <button class="primary" type="submit">${ask.submit}</button>
      </form>
      <p class="links"><a href="${accountPath}">${messages.account.signIn}</a></p>`,
  );
}

export type SetPasswordFault = 'length' | 'different';

export function setPasswordPage(
  messages: PageMessages,
  { csrf, token, fault }: LinkForm & { fault?: SetPasswordFault | undefined },
): string {
  const { set } = messages.links;
  const { password } = messages.account;
  const field = fault === undefined ? undefined : { length: 'new_password', different: 'repeated' }[fault];
  const text = fault === 'length' ? password.faults.length(passwordLengthMin) : password.faults.different;
  return page(
    messages,
    fault ? `${messages.errors.prefix}: ${set.title}` : set.title,
    markup`${fault && problemSummary(messages, { text, field })}
      <h1>${set.title}</h1>
      <p class="lead">${set.lead}</p>
      <form method="post" action="${accountPath}/set-password">
        <input type="hidden" name="_csrf" value="${csrf}">
        <input type="hidden" name="token" value="${token}">
        ${passwordField(messages, {
          ...{ name: 'new_password', label: password.fresh, autocomplete: 'new-password' },
          ...{ hint: password.hint(passwordLengthMin), isInvalid: field === 'new_password', takesFocus: !fault },
        })}
        ${passwordField(messages, {
          ...{ name: 'repeated', label: password.repeated, autocomplete: 'new-password' },
          isInvalid: field === 'repeated',
        })}
        <button class="primary" type="submit">${set.submit}</button>
      </form>
      <script>${new Markup(showPasswordScript)}</script>`,
  );
}

export function verifyEmailPage(messages: PageMessages, { csrf, token }: LinkForm): string {
  const { verify } = messages.links;
  return page(
    messages,
    verify.title,
    markup`<h1>${verify.title}</h1>
      <p class="lead">${verify.lead}</p>
      <form method="post" action="${accountPath}/verify-email">
        <input type="hidden" name="_csrf" value="${csrf}">
        <input type="hidden" name="token" value="${token}">
        <button class="primary" type="submit">${verify.submit}</button>
      </form>`,
  );
}
