// Headers of every answer that a browser may show, and the Content-Security-Policy of the pages.
import { hash } from 'node:crypto';
import { pageStylesSource } from './page-styles.js';
import { forwardScript } from './pages.js';

export const securityHeaders: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address of an authorization request is nobody else's business.
  'Referrer-Policy': 'no-referrer',
};

const forwardScriptSource = `'sha256-${hash('sha256', forwardScript, 'base64')}'`;

/**
 * No scripts, no pictures, no foreign frames. `form-action` must name where the client's redirect goes: Chromium
 * applies it to the redirect after the form post as well, and would leave the user on the page without a word. The page
 * that posts itself on has its one script, named by its hash.
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
