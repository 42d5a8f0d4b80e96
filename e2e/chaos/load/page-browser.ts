// A browser reduced to what pages of identity need: cookies, forms and redirects. It writes down every answer.
import type { LoadClient } from './load-client.js';
import type { Account } from './load.types.js';

export interface Page {
  /** Null: no answer. */
  status: number | null;
  path: string;
  body: string;
}

const redirectsMax = 10;
const timeoutMs = 35_000;
/** Sessions, logins and users have ids in their paths. */
const id = /\/(login)\/[^/?]+/;

export class PageBrowser {
  private readonly cookies = new Map<string, { pair: string; path: string }>();

  constructor(
    private readonly issuer: string,
    private readonly client: LoadClient,
  ) {}

  /** The page at the end of all redirects. */
  async visit(path: string, form?: URLSearchParams): Promise<Page> {
    let url = new URL(path, this.issuer);
    let body = form;
    for (let step = 0; step < redirectsMax; step += 1) {
      const answer = await this.request(url, body);
      const location = answer.location;
      if (location === null) return { status: answer.status, path: url.pathname + url.search, body: answer.text };
      url = new URL(location, url);
      body = undefined;
    }
    throw new Error(`${path} leads in a circle`);
  }

  /** Fills in the form of a page whose address ends like this. Undefined: the page has no such form. */
  async submit(page: Page, action: string, fields: Record<string, string> = {}): Promise<Page | undefined> {
    const forms = page.body.matchAll(/<form[^>]* action="([^"]+)"[^>]*>([^]*?)<\/form>/g);
    const form = [...forms].find(([, address]) => address?.endsWith(`/${action}`));
    if (!form) return undefined;
    const filled = new URLSearchParams();
    for (const [, name = '', value = ''] of (form[2] ?? '').matchAll(/name="([^"]+)"\s+value="([^"]*)"/g))
      filled.set(name, value);
    for (const [name, value] of Object.entries(fields)) filled.set(name, value);
    return this.visit(new URL(form[1]!, new URL(page.path, this.issuer)).href, filled);
  }

  /** Opens the account pages, by way of the login. Undefined when an answer failed. */
  async signIn({ email, password }: Account): Promise<Page | undefined> {
    const login = await this.visit('/account');
    return isLogin(login) ? this.submit(login, 'submit', { email, password }) : undefined;
  }

  private async request(
    url: URL,
    form: URLSearchParams | undefined,
  ): Promise<{ status: number | null; text: string; location: string | null }> {
    const atMs = Date.now();
    const request = `${form ? 'POST' : 'GET'} ${url.pathname.replace(id, '/$1/:uid')}`;
    try {
      const response = await fetch(url, {
        method: form ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.cookiesFor(url), ...(form && { origin: url.origin }) },
        ...(form && { body: form }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      this.keepCookies(response.headers.getSetCookie());
      const text = await response.text();
      const { status } = response;
      this.client.record({
        atMs,
        service: 'identity',
        request,
        status,
        isExpected: status < 400,
        text: status < 400 ? '' : text,
      });
      return { status, text, location: response.headers.get('location') };
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } };
      this.client.record({
        atMs,
        service: 'identity',
        request,
        status: null,
        isExpected: false,
        text: cause?.code ?? message,
      });
      return { status: null, text: '', location: null };
    }
  }

  private keepCookies(headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(/;\s*/);
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      const key = `${pair.slice(0, pair.indexOf('='))} ${path}`;
      if (attributes.some((one) => /^expires=Thu, 01 Jan 1970|^max-age=0/i.test(one))) this.cookies.delete(key);
      else this.cookies.set(key, { pair, path });
    }
  }

  private cookiesFor({ pathname }: URL): string {
    return [...this.cookies.values()]
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join('; ');
  }
}

export const isLogin = ({ body }: Page): boolean => /<form[^>]* action="[^"]*\/submit"/.test(body);
