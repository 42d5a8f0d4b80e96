// The pages of signing out.
import { accountPath } from './account-path.js';
import { markup, type Markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';
import { page } from './pages.js';

export interface SignOutPage {
  /** Where the form goes, and its secret. */
  action: string;
  xsrf: string;
  email: string | undefined;
  /** The application that asks, if one does. */
  clientName: string | undefined;
}

export function signOutPage(messages: PageMessages, { action, xsrf, email, clientName }: SignOutPage): string {
  const { signOut, consent } = messages;
  return page(
    messages,
    signOut.title,
    markup`<h1>${signOut.title}</h1>
      <p class="lead">${clientName === undefined ? signOut.lead : signOut.leadOf(clientName)}</p>
      ${
        email !== undefined &&
        markup`<dl class="facts">
          <div>
            <dt>${consent.signedInAs}</dt>
            <dd>${email}</dd>
          </div>
        </dl>`
      }
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}">
        <button class="primary" type="submit" name="logout" value="yes">${signOut.submit}</button>
        <button class="secondary" type="submit">
          ${clientName === undefined ? signOut.stay : signOut.onlyOf(clientName)}
        </button>
      </form>`,
  );
}

/** After the answer, when the application named no page of its own. */
export function signedOutPage(
  messages: PageMessages,
  { isSignedIn, clientName }: { isSignedIn: boolean; clientName: string | undefined },
): string {
  const { done, stayed } = messages.signOut;
  const { title } = isSignedIn ? stayed : done;
  const text = isSignedIn && clientName !== undefined ? stayed.textOf(clientName) : (isSignedIn ? stayed : done).text;
  const { signIn, onward } = messages.account;
  const link = markup`<p class="links"><a href="${accountPath}">${isSignedIn ? onward : signIn}</a></p>`;
  return page(messages, title, markup`${heading(title, text)}${link}`);
}

const heading = (title: string, text: string): Markup =>
  markup`<h1>${title}</h1>
    <p>${text}</p>`;
