// Headers of every answer that a browser may show, and the Content-Security-Policy of the pages.
import { hash } from 'node:crypto';
import { pageStylesSource } from './page-styles.js';
import { forwardScript } from './pages.js';

export const securityHeaders: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address of an authorization request is private.
  'Referrer-Policy': 'no-referrer',
};

const forwardScriptSource = `'sha256-${hash('sha256', forwardScript, 'base64')}'`;

/**
 * No scripts, pictures or foreign frames. `form-action` must name the target of the client's redirect: Chromium also
 * applies it to the redirect after the form post, and would leave the user on the page without a message. The page that
 * posts itself has one script, allowed by its hash.
 */
export function contentSecurityPolicy(redirectSource?: string, isForward = false): string {
  return [
    `default-src 'none'`,
    ...(isForward ? [`script-src ${forwardScriptSource}`] : []),
    `style-src ${pageStylesSource}`,
    `form-action 'self'${redirectSource ? ` ${redirectSource}` : ''}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');
}
