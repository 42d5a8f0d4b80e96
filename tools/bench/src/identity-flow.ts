// The authorization code flow as a browser and a client walk it, over kept-alive connections. Cookies by path, forms by
// their hidden fields: enough for the service and for its peer, whose pages have the same fields.
import { createHash, randomBytes } from 'node:crypto';
import { request, type Agent } from 'node:http';

export interface FlowTarget {
  base: string;
  agent: Agent;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  email: string;
  password: string;
}

export interface Tokens {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
}

interface Answer {
  status: number;
  location: string | undefined;
  cookies: string[];
  body: string;
}

export class Browser {
  private readonly cookies = new Map<string, { name: string; value: string; path: string }>();

  constructor(private readonly target: FlowTarget) {}

  /** From the authorization request to the tokens; login and consent as far as the server asks for them. */
  async codeFlow(scope: string): Promise<Tokens> {
    const { clientId, redirectUri, email, password } = this.target;
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'bench',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    let answer = await this.follow(await this.send('GET', `/oauth/auth?${query.toString()}`));
    if (answer.body.includes('/submit"')) answer = await this.submit(answer, 'submit', { email, password });
    if (answer.body.includes('/confirm"')) answer = await this.submit(answer, 'confirm', {});
    const code = answer.location && new URL(answer.location).searchParams.get('code');
    if (!code) throw new Error(`no code: ${answer.status} ${answer.location} ${answer.body.slice(-300)}`);
    return exchange(this.target, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  }

  private async submit(page: Answer, action: string, fields: Record<string, string>): Promise<Answer> {
    const form = [...page.body.matchAll(/<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/g)].find(([, url]) =>
      url?.endsWith(`/${action}`),
    );
    if (!form) throw new Error(`no form ${action}: ${page.status}`);
    const hidden = [...(form[2] ?? '').matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const body = new URLSearchParams({
      ...(Object.fromEntries(hidden) as Record<string, string>),
      ...fields,
    }).toString();
    return this.follow(await this.send('POST', form[1] as string, body));
  }

  private async follow(answer: Answer): Promise<Answer> {
    let current = answer;
    while (
      current.location &&
      new URL(current.location, this.target.base).origin === new URL(this.target.base).origin
    ) {
      const { pathname, search } = new URL(current.location, this.target.base);
      current = await this.send('GET', pathname + search);
    }
    return current;
  }

  private async send(method: string, path: string, body?: string): Promise<Answer> {
    const pathname = path.split('?', 1)[0] ?? '';
    const cookie = [...this.cookies.values()]
      .filter((one) => pathname.startsWith(one.path))
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await call(this.target, method, path, body, { accept: 'text/html', ...(cookie ? { cookie } : {}) });
    for (const line of answer.cookies) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const cookiePath = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      this.cookies.set(`${name} ${cookiePath}`, { name, value, path: cookiePath });
    }
    return answer;
  }
}

export async function exchange(target: FlowTarget, fields: Record<string, string>): Promise<Tokens> {
  const body = new URLSearchParams({
    ...fields,
    client_id: target.clientId,
    client_secret: target.clientSecret,
  }).toString();
  const answer = await call(target, 'POST', '/oauth/token', body, { accept: 'application/json' });
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as Tokens;
}

export function call(
  { base, agent }: FlowTarget,
  method: string,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, base),
      {
        method,
        agent,
        headers: {
          ...headers,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            cookies: response.headers['set-cookie'] ?? [],
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Runs `work` this often, so many at a time; the rate per second. */
export async function rateOf(times: number, parallel: number, work: () => Promise<unknown>): Promise<number> {
  let left = times;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
  return (times * 1000) / (performance.now() - startedMs);
}
