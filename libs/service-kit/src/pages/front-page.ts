// What a person sees at the address of a service (`GET /`): what it is for, and links to what there is to open.
// Programs get what the routes of the app answer there.
import type { FastifyInstance } from 'fastify';
import { frontPageMessages, type LinkText } from './front-page-messages.js';
import { markup, type Markup } from './markup.js';
import { page } from './page.js';
import { pageLanguageOf, type InEveryLanguage, type PageLanguage } from './page-language.js';
import { sendPage } from './send-page.js';
import { wantsPage } from './wants-page.js';

/** What a service says about itself. */
export interface FrontPage {
  texts: InEveryLanguage<{ title: string; lead: string }>;
  /** First on the page; those that every service has follow. */
  links?: readonly PageLink[];
}

export interface PageLink {
  path: string;
  texts: InEveryLanguage<LinkText>;
}

/** Of the service that shows the page. */
export interface ServedService {
  name: string;
  version: string;
  environment: string;
}

/**
 * Answers `GET /` of browsers; anybody else is answered as if this was not here.
 * @param given.serves whether GET of this path has a route, once the app has started
 */
export function serveFrontPage(
  instance: FastifyInstance,
  given: { frontPage: FrontPage; service: ServedService; serves: (path: string) => boolean },
): void {
  const { frontPage, service, serves } = given;
  instance.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || request.url.split('?', 1)[0] !== '/' || !wantsPage(request)) return done();
    const language = pageLanguageOf(request.headers['accept-language']);
    const own = (frontPage.links ?? []).map(({ path, texts }) => ({ path, ...texts[language] }));
    const links = [...own, ...commonLinks(language, serves)];
    sendPage(reply, 200, pageOfLinks({ language, ...frontPage.texts[language], links, service }));
  });
}

/** The addresses that services have, as far as this one serves them. */
export function commonLinks(
  language: PageLanguage,
  serves: (path: string) => boolean,
): ({ path: string } & LinkText)[] {
  return Object.entries(frontPageMessages[language].links)
    .filter(([path]) => serves(path))
    .map(([path, text]) => ({ path, ...text }));
}

/** The page of links. `more` comes after them. */
export function pageOfLinks(given: {
  language: PageLanguage;
  title: string;
  lead: string;
  links: readonly ({ path: string } & LinkText)[];
  service: ServedService;
  more?: Markup;
}): string {
  const { language, title, lead, links, service, more } = given;
  return page({
    language,
    title,
    body: markup`<h1>${title}</h1>
      <p class="lead">${lead}</p>
      <ul class="menu">
        ${links.map(
          ({ path, name, meaning }) =>
            markup`<li><a href="${path}"><strong>${name}</strong> <span>${meaning}</span></a></li> `,
        )}
      </ul>
      ${more}
      <p class="hint">${service.name} ${service.version} · ${service.environment}</p>`,
    isWide: true,
  });
}
