// Headers of every answer that a browser may show, and the Content-Security-Policy of the pages.
import { hash } from 'node:crypto';
import { pageStylesSource } from './page-styles.js';

export const pageHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address of an authorization request is private.
  'Referrer-Policy': 'no-referrer',
};

/** For a policy: the browser runs this script or applies this style, and no other. */
export const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/**
 * No scripts, pictures or foreign frames.
 * @param allowed further sources: where a form may lead, and a script of the page
 */
export function pagePolicy(allowed: { formAction?: string | undefined; script?: string | undefined } = {}): string {
  return [
    `default-src 'none'`,
    ...(allowed.script === undefined ? [] : [`script-src ${allowed.script}`]),
    `style-src ${pageStylesSource}`,
    `form-action 'self'${allowed.formAction ? ` ${allowed.formAction}` : ''}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');
}
