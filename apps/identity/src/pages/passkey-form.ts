// The form that uses or makes a passkey: the one thing of the pages that needs a script. Without it, or in a browser
// that knows no passkeys, a sentence takes the place of the button.
import { Markup, markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';

export interface PasskeyForm {
  action: string;
  csrf: string;
  kind: 'create' | 'get';
  /** What the browser needs, as JSON. */
  options: string;
  /** Returns with the answer. */
  setUp?: string | undefined;
  submit: string;
  isPrimary: boolean;
}

export function passkeyForm({ secondFactor }: PageMessages, given: PasskeyForm): Markup {
  const { action, csrf, kind, options, setUp, submit, isPrimary } = given;
  return markup`<form method="post" action="${action}" data-passkey="${kind}" data-options="${options}">
      <input type="hidden" name="_csrf" value="${csrf}">
      ${setUp !== undefined && markup`<input type="hidden" name="set_up" value="${setUp}">`}
      <input type="hidden" name="answer" value="">
      <p class="warning" role="alert" hidden>${secondFactor.passkeyFailed}</p>
      <button class="${isPrimary ? 'primary' : 'secondary'}" type="submit" hidden>${submit}</button>
      <p class="hint">${secondFactor.noScript}</p>
    </form>`;
}

export const passkeyScript = `
const form = document.querySelector('form[data-passkey]');
const known = window.PublicKeyCredential;
if (form && known && known.parseCreationOptionsFromJSON && known.parseRequestOptionsFromJSON) {
  const button = form.querySelector('button');
  const problem = form.querySelector('[role=alert]');
  button.hidden = false;
  form.querySelector('.hint').hidden = true;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.hidden = true;
    button.disabled = true;
    try {
      const options = JSON.parse(form.dataset.options);
      const credential = await (form.dataset.passkey === 'create'
        ? navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
        : navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) }));
      form.elements.answer.value = JSON.stringify(credential);
      form.submit();
    } catch {
      problem.hidden = false;
      button.disabled = false;
    }
  });
}
`;
