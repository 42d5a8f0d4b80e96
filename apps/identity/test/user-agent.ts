// A browser reduced to what the flows need: cookies by path, forms, redirects. Real Chromium is in browser.e2e-spec.ts.
import { createHash, randomBytes } from 'node:crypto';

export interface Page {
  url: string;
  status: number;
  headers: Headers;
  body: string;
}

export class UserAgent {
  /** Every Set-Cookie header received. */
  readonly setCookies: string[] = [];
  private readonly cookies = new Map<string, { value: string; path: string }>();

  /**
   * @param base where requests to the issuer really go: another replica, for example
   * @param ip the address that a trusted proxy reports
   */
  constructor(
    private readonly issuer: string,
    private base = issuer,
    private ip?: string,
  ) {}

  useReplica(base: string): void {
    this.base = base;
  }

  /** Requests come from this address from now on. */
  moveTo(ip: string): void {
    this.ip = ip;
  }

  async request(url: string, init: RequestInit = {}): Promise<Page> {
    const target = new URL(url, this.issuer);
    const real = target.href.replace(this.issuer, this.base);
    const headers = new Headers(init.headers);
    const cookies = [...this.cookies]
      .filter(([, { path }]) => target.pathname.startsWith(path))
      // Longer paths first, as browsers do (RFC 6265 5.4).
      .sort(([, one], [, other]) => other.path.length - one.path.length)
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`);
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
    if (!headers.has('accept')) headers.set('accept', 'text/html');
    if (this.ip !== undefined) headers.set('x-forwarded-for', this.ip);
    const response = await fetch(real, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.keep(line, target.pathname);
    return { url: target.href, status: response.status, headers: response.headers, body: await response.text() };
  }

  /** Follows redirects of the issuer; stops at a page, or at a redirect that leaves it. */
  async visit(url: string, init?: RequestInit): Promise<Page> {
    let page = await this.request(url, init);
    for (let hops = 0; hops < 10; hops += 1) {
      const location = page.headers.get('location');
      if (!location || !new URL(location, this.issuer).href.startsWith(this.issuer)) return page;
      page = await this.request(location, init?.headers ? { headers: init.headers } : {});
    }
    throw new Error('too many redirects');
  }

  async post(url: string, fields: Record<string, string>): Promise<Page> {
    return this.visit(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Submits the form of a page whose action ends with `action`, with its hidden fields. */
  async submit(page: Page, action: string, fields: Record<string, string> = {}): Promise<Page> {
    const form = formOf(page, action);
    return this.post(form.action, { ...form.hidden, ...fields });
  }

  /** Cookies as they would be sent to this path, to make a second agent of the same browser. */
  cookieHeader(path: string): string {
    return [...this.cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
  }

  forget(name: string): void {
    for (const key of this.cookies.keys()) if (key.startsWith(`${name} `)) this.cookies.delete(key);
  }

  private keep(line: string, requestPath: string): void {
    this.setCookies.push(line);
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const separator = pair.indexOf('=');
    const name = pair.slice(0, separator);
    const value = pair.slice(separator + 1);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? requestPath;
    const expires = attributes.find((one) => /^expires=/i.test(one))?.slice(8);
    const key = `${name} ${path}`;
    if (value === '' || (expires && new Date(expires).getTime() < Date.now())) this.cookies.delete(key);
    else this.cookies.set(key, { value, path });
  }
}

export function formOf(page: Page, action: string): { action: string; hidden: Record<string, string> } {
  const form = [...page.body.matchAll(/<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/g)].find(([, target]) =>
    target?.endsWith(`/${action}`),
  );
  if (!form) throw new Error(`no form for ${action} on a page of status ${page.status}: ${page.body.slice(-600)}`);
  const hidden = Object.fromEntries(
    [...(form[2] ?? '').matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>;
  return { action: form[1] as string, hidden };
}

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface FlowClient {
  clientId: string;
  clientSecret: string;
  redirectUri?: string;
}

export interface FlowOptions {
  client: FlowClient;
  email: string;
  password: string;
  scope?: string;
  agent?: UserAgent;
  parameters?: Record<string, string>;
}

export const defaultRedirectUri = 'https://app.example.com/callback';

export function authorizationUrl(
  issuer: string,
  { client, scope = 'openid profile email', parameters = {} }: Omit<FlowOptions, 'email' | 'password'>,
  pkce: Pkce,
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri ?? defaultRedirectUri,
    scope,
    state: 'state-1',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...parameters,
  });
  for (const [name, value] of Object.entries(parameters)) if (value === '') query.delete(name);
  return `${issuer}/oauth/auth?${query.toString()}`;
}

/** Signs in and consents; answers the redirect to the client. */
export async function authorize(
  issuer: string,
  options: FlowOptions,
  pkce = makePkce(),
): Promise<{ redirect: URL; code: string; pkce: Pkce; agent: UserAgent }> {
  const agent = options.agent ?? new UserAgent(issuer);
  let page = await agent.visit(authorizationUrl(issuer, options, pkce));
  if (page.body.includes('/submit"')) {
    page = await agent.submit(page, 'submit', { email: options.email, password: options.password });
  }
  if (page.body.includes('/confirm"')) page = await agent.submit(page, 'confirm');
  const location = page.headers.get('location');
  if (!location) throw new Error(`no redirect to the client but status ${page.status}: ${page.body.slice(-900)}`);
  const redirect = new URL(location);
  return { redirect, code: redirect.searchParams.get('code') ?? '', pkce, agent };
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & {
    access_token: string;
    id_token: string;
    refresh_token: string;
    expires_in: number;
    scope: string;
    error?: string;
  };
}

export async function postForm(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith('{') ? JSON.parse(text) : { text }) as TokenAnswer['body'],
  };
}

export const exchangeCode = (base: string, client: FlowClient, code: string, pkce: Pkce): Promise<TokenAnswer> =>
  postForm(`${base}/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri ?? defaultRedirectUri,
    client_id: client.clientId,
    client_secret: client.clientSecret,
    code_verifier: pkce.verifier,
  });

export const refresh = (base: string, client: FlowClient, refreshToken: string): Promise<TokenAnswer> =>
  postForm(`${base}/oauth/token`, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });

/** The whole flow, to the tokens. */
export async function obtainTokens(
  issuer: string,
  options: FlowOptions,
): Promise<TokenAnswer['body'] & { agent: UserAgent }> {
  const { code, pkce, agent, redirect } = await authorize(issuer, options);
  if (!code) throw new Error(`no code: ${redirect.href}`);
  const { status, body } = await exchangeCode(issuer, options.client, code, pkce);
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
  return { ...body, agent };
}

export const userinfo = (base: string, token: string): Promise<Response> =>
  fetch(`${base}/oauth/me`, { headers: { authorization: `Bearer ${token}` } });

export const introspect = (base: string, client: FlowClient, token: string): Promise<TokenAnswer> =>
  postForm(`${base}/oauth/token/introspection`, {
    token,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });

export const revoke = (base: string, client: FlowClient, token: string): Promise<TokenAnswer> =>
  postForm(`${base}/oauth/token/revocation`, { token, client_id: client.clientId, client_secret: client.clientSecret });

export function decodeJwt(token: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
  const [header, payload] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
  return { header: header ?? {}, payload: payload ?? {} };
}
