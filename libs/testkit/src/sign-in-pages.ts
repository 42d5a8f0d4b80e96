/** The login and consent pages, filled in as a person with a browser would. Signed in once, it stays signed in. */
export class SignInPages {
  private readonly cookies = new Map<string, { pair: string; path: string }>();

  constructor(private readonly account: { email: string; password: string }) {}

  /** From the authorization request to the address that the client is called back at, on another origin. */
  async follow(authorization: URL): Promise<URL> {
    const { url, html } = await this.walk(authorization);
    if (html !== undefined) throw new Error('the sign-in page shows neither login nor consent');
    return url;
  }

  /** A page of the issuer, after a login if it asks for one. */
  async open(page: URL): Promise<string> {
    const { url, html } = await this.walk(page);
    if (html === undefined) throw new Error(`${page.href} leads to ${url.href}`);
    return html;
  }

  /** The login to which a page leads, not filled in. */
  async openLogin(page: URL): Promise<{ url: URL; html: string }> {
    const { url, html = '' } = await this.walk(page, { fills: false });
    return { url, html };
  }

  /** As they are sent to this address. */
  cookiesFor({ pathname }: URL): string {
    return [...this.cookies.values()]
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join('; ');
  }

  /** To an address on another origin, or to a page that has nothing to fill in. */
  private async walk(from: URL, { fills = true } = {}): Promise<{ url: URL; html?: string }> {
    let url = from;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 12; step += 1) {
      const response = await fetch(url, {
        method: form ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: this.cookiesFor(url), ...(form && { origin: url.origin }) },
        ...(form && { body: form }),
        signal: AbortSignal.timeout(10_000),
      });
      this.keepCookies(response.headers.getSetCookie());
      const html = await response.text();
      const location = response.headers.get('location');
      if (location !== null) {
        url = new URL(location, url);
        form = undefined;
        if (url.origin !== from.origin) return { url };
      } else if (response.ok) {
        const filled = fills ? this.fill(html) : undefined;
        if (!filled) return { url, html };
        url = new URL(filled.action, url);
        form = filled.fields;
      } else {
        throw new Error(`${url.href} answered ${response.status} in the middle of the sign-in: ${html.slice(-300)}`);
      }
    }
    throw new Error('the sign-in pages lead in a circle');
  }

  /** The form that goes on, login or consent, with its hidden fields. */
  private fill(html: string): { action: string; fields: URLSearchParams } | undefined {
    const forms = html.matchAll(/<form[^>]* action="([^"]*\/(?:submit|confirm))"[^>]*>([^]*?)<\/form>/g);
    const [, action, content = ''] = forms.next().value ?? [];
    if (action === undefined) return undefined;
    const fields = new URLSearchParams();
    for (const [, name = '', value = ''] of content.matchAll(/name="([^"]+)"\s+value="([^"]*)"/g))
      fields.set(name, value);
    if (action.endsWith('/submit')) {
      fields.set('email', this.account.email);
      fields.set('password', this.account.password);
    }
    return { action, fields };
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
}
