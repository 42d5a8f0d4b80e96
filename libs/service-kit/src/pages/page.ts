// The frame of every page that a service shows a person. Pages work without JavaScript, with a keyboard and on a phone.
import { Markup, markup } from './markup.js';
import { pageStyles } from './page-styles.js';

/** Three lines of wind, hidden from screen readers: the name follows. */
const mark = new Markup(
  '<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round"><path d="M3 12h15.5a4.5 4.5 0 1 0-4.2-6"/><path d="M3 17.5h22a4 4 0 1 1-3.7 5.5"/><path d="M3 23h10.5a3.2 3.2 0 1 1-3 4.3"/></svg>',
);

/** The mark and the name, at the top of every page. */
export const brand: Markup = markup`<header class="brand">${mark}<span>Tradewind</span></header>`;

export interface PageParts {
  /** Of the texts, such as `en`. */
  language: string;
  title: string;
  body: Markup;
  /** Pages with lists are wider. */
  isWide?: boolean | undefined;
}

/** A whole page. Send it with `pageHeaders` and a policy of `pagePolicy`. */
export function page({ language, title, body, isWide }: PageParts): string {
  return markup`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>${title} · Tradewind</title>
        <style>${new Markup(pageStyles)}</style>
      </head>
      <body>
        ${brand}
        <main${isWide && new Markup(' class="wide"')}>${body}</main>
      </body>
    </html> `.text;
}
