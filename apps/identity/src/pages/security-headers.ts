// Headers of every answer that a browser may show, and the Content-Security-Policy of the pages.
import { hash } from 'node:crypto';
import { pageStylesSource } from './page-styles.js';
import { forwardScript } from './pages.js';
import { passkeyScript } from './passkey-form.js';
import { showPasswordScript } from './password-field.js';

export const securityHeaders: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address of an authorization request is private.
  'Referrer-Policy': 'no-referrer',
};

const sourceOf = (script: string): string => `'sha256-${hash('sha256', script, 'base64')}'`;
const scriptSources = {
  forward: sourceOf(forwardScript),
  'show-password': sourceOf(showPasswordScript),
  passkey: sourceOf(passkeyScript),
};

export type PageScript = keyof typeof scriptSources;

/**
 * No scripts, pictures or foreign frames. `form-action` must name the target of the client's redirect. Chromium also
 * applies it to the redirect after the form post, and would leave the user on the page without a message. A page has at
 * most one script, which is allowed by its hash. Passkeys need theirs; the others only spare a click.
 */
export function contentSecurityPolicy(redirectSource?: string, script?: PageScript): string {
  return [
    `default-src 'none'`,
    ...(script === undefined ? [] : [`script-src ${scriptSources[script]}`]),
    `style-src ${pageStylesSource}`,
    `form-action 'self'${redirectSource ? ` ${redirectSource}` : ''}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');
}
