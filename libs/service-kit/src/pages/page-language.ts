// The language of a page: what the client asks for (`ui_locales`), then the browser (`Accept-Language`), then English.

export const pageLanguages = ['en', 'de', 'fr', 'es'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** A text in every language of the pages. */
export type InEveryLanguage<T> = Readonly<Record<PageLanguage, T>>;

/** No browser sends more; sorting thousands of languages would keep everybody else waiting. */
const acceptLanguageLengthMax = 1000;

/** @param uiLocales tags separated by blanks, best first; anything that is no text counts for nothing */
export function pageLanguageOf(acceptLanguage: string | undefined, uiLocales?: unknown): PageLanguage {
  return findPageLanguage(acceptLanguage, uiLocales) ?? 'en';
}

/** The same; undefined where none of the languages is asked for. */
export function findPageLanguage(acceptLanguage: string | undefined, uiLocales?: unknown): PageLanguage | undefined {
  const accepted = (acceptLanguage ?? '')
    .slice(0, acceptLanguageLengthMax)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.trim().split(';');
      const quality = parameters.map((one) => /^\s*q=([\d.]+)/.exec(one)?.[1]).find((one) => one !== undefined);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
  for (const tag of [...(typeof uiLocales === 'string' ? uiLocales.split(' ') : []), ...accepted]) {
    const primary = tag.toLowerCase().split('-', 1)[0];
    const found = pageLanguages.find((language) => language === primary);
    if (found) return found;
  }
  return undefined;
}
