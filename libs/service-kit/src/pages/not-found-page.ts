// What a person sees at an address with nothing behind it.
import { frontPageMessages } from './front-page-messages.js';
import { markup } from './markup.js';
import { page } from './page.js';
import type { PageLanguage } from './page-language.js';

/** Of a long address, this much is shown. */
const detailLengthMax = 200;

/** @param detail the sentence that programs get */
export function notFoundPage(language: PageLanguage, detail: string): string {
  const { notFound } = frontPageMessages[language];
  const shown = detail.length > detailLengthMax ? `${detail.slice(0, detailLengthMax - 1)}…` : detail;
  return page({
    language,
    title: notFound.title,
    body: markup`<h1>${notFound.title}</h1>
      <p>${notFound.text}</p>
      <p class="links"><a href="/">${notFound.onward}</a></p>
      <p class="technical">${notFound.details}: <code>404 ${shown}</code></p>`,
  });
}
