// The Content-Security-Policy of identity's pages: that of all services, with the scripts and forms of a login.
import { pagePolicy, sourceOf } from '@tradewind/service-kit';
import { forwardScript } from './pages.js';
import { passkeyScript } from './passkey-form.js';
import { showPasswordScript } from './password-field.js';

const scriptSources = {
  forward: sourceOf(forwardScript),
  'show-password': sourceOf(showPasswordScript),
  passkey: sourceOf(passkeyScript),
};

export type PageScript = keyof typeof scriptSources;

/**
 * `form-action` must name the target of the client's redirect. Chromium also applies it to the redirect after the form
 * post, and would leave the user on the page without a message. A page has at most one script, which is allowed by its
 * hash. Passkeys need theirs; the others only spare a click.
 */
export function contentSecurityPolicy(redirectSource?: string, script?: PageScript): string {
  return pagePolicy({ formAction: redirectSource, script: script && scriptSources[script] });
}
