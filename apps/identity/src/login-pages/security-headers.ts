// Headers of every answer that a browser may show, and the Content-Security-Policy of the pages.
import { pageStylesSource } from './page-styles.js';

export const securityHeaders: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address of an authorization request is nobody else's business.
  'Referrer-Policy': 'no-referrer',
};

/**
 * No scripts, no pictures, no foreign frames. `form-action` must name where the client's redirect goes: Chromium
 * applies it to the redirect after the form post as well, and would leave the user on the page without a word.
 */
export function contentSecurityPolicy(redirectSource?: string): string {
  return [
    `default-src 'none'`,
    `style-src ${pageStylesSource}`,
    `form-action 'self'${redirectSource ? ` ${redirectSource}` : ''}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');
}
