// What a browser gets at the address of the service: the account, the API, and the links of the listing for programs.
import { commonLinks, markup, pageOfLinks, type PageLanguage } from '@tradewind/service-kit';
import { accountPath } from './account-path.js';
import type { PageMessages } from './page-messages.js';

export interface Listing {
  service: string;
  version: string;
  environment: string;
  /** Addresses by name. */
  endpoints: Record<string, string>;
}

/** @param hasDocs whether `/docs` is served */
export function listingPage(messages: PageMessages, given: Listing, hasDocs: boolean): string {
  const { listing, account } = messages;
  const language = messages.language as PageLanguage;
  // Health and readiness are among the endpoints.
  const documents = commonLinks(language, (path) => path === '/openapi.json' || (hasDocs && path === '/docs'));
  return pageOfLinks({
    language,
    title: listing.title,
    lead: listing.lead,
    links: [{ path: accountPath, name: account.title, meaning: listing.account }, ...documents],
    service: { ...given, name: given.service },
    more: markup`<h2 class="other">${listing.endpoints}</h2>
      <dl class="facts">
        ${Object.entries(given.endpoints).map(
          ([name, url]) =>
            markup`<div>
          <dt>${name}</dt>
          <dd><a href="${url}">${url}</a></dd>
        </div>`,
        )}
      </dl>`,
  });
}
