// A field for a password. Where scripts run, a button shows what was typed.
import { passwordLengthMax } from '../users/credential-limits.js';
import { Markup, markup } from '@tradewind/service-kit';
import type { PageMessages } from './page-messages.js';

export interface PasswordField {
  name: string;
  label: string;
  /** What a password manager fills in. */
  autocomplete: 'current-password' | 'new-password';
  /** Shown below the label. */
  hint?: string | undefined;
  isInvalid?: boolean | undefined;
  takesFocus?: boolean | undefined;
}

export function passwordField({ password }: PageMessages, field: PasswordField): Markup {
  const { name, label, autocomplete, hint, isInvalid, takesFocus } = field;
  const described = [isInvalid && 'problem-text', hint !== undefined && `${name}-hint`].filter(Boolean).join(' ');
  return markup`<label id="${name}-label" for="${name}">${label}</label>
    ${hint !== undefined && markup`<p class="hint" id="${name}-hint">${hint}</p>`}
    <div class="password">
      <input
        id="${name}"
        name="${name}"
        type="password"
        autocomplete="${autocomplete}"
        maxlength="${passwordLengthMax}"
        required${isInvalid && new Markup(' aria-invalid="true"')}${
          described && markup` aria-describedby="${described}"`
        }${takesFocus && new Markup(' autofocus')}
      >
      <button type="button" hidden data-field="${name}" data-other="${password.hide}" aria-describedby="${name}-label">
        ${password.show}
      </button>
    </div>`;
}

/** Before the form is sent, the password is hidden: browsers remember what text fields had. */
export const showPasswordScript = `
for (const button of document.querySelectorAll('button[data-field]')) {
  const input = document.getElementById(button.dataset.field);
  button.hidden = false;
  button.onclick = () => {
    input.type = input.type === 'password' ? 'text' : 'password';
    const shown = button.textContent.trim();
    button.textContent = button.dataset.other;
    button.dataset.other = shown;
  };
  input.form.addEventListener('submit', () => { input.type = 'password'; });
}
`;
