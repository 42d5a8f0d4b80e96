// What a browser gets at the address of the service: the links of the listing that programs get.
import { accountPath } from './account-path.js';
import { markup } from './markup.js';
import type { PageMessages } from './page-messages.js';
import { page } from './pages.js';

export interface Listing {
  service: string;
  version: string;
  environment: string;
  /** Addresses by name. */
  endpoints: Record<string, string>;
}

export function listingPage(messages: PageMessages, given: Listing): string {
  const { listing, account } = messages;
  return page(
    messages,
    listing.title,
    markup`<h1>${listing.title}</h1>
      <p class="lead">${listing.lead}</p>
      <p><a href="${accountPath}">${account.onward}</a></p>
      <dl class="facts">
        ${Object.entries(given.endpoints).map(
          ([name, url]) =>
            markup`<div>
          <dt>${name}</dt>
          <dd><a href="${url}">${url}</a></dd>
        </div>`,
        )}
      </dl>
      <p class="hint">${given.service} ${given.version}, ${given.environment}</p>`,
    'account',
  );
}
