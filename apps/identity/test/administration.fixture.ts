// Callers of the administration API, and what they send.
import { serviceTokenEntry } from '@tradewind/service-kit';
import { testPool } from '@tradewind/testkit';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { obtainTokens, type FlowClient } from './user-agent.js';

export const machineToken = 'token-of-the-console';
export const machineOfAcmeToken = 'token-of-the-console-of-acme';
const ownResource = 'urn:tradewind:identity';

export interface Answer {
  status: number;
  body: AnswerBody;
}

/** What the tests read of bodies; each body has some of it. */
interface AnswerBody {
  id: string;
  role: string;
  company_id: string | null;
  disabled_at: string | null;
  client_id: string;
  client_secret: string;
  resources: string[];
  sessions: { id: string }[];
  next_cursor: string | null;
  message: string | string[];
  error: string;
}

export class Administration {
  private constructor(
    readonly identity: Identity,
    private readonly client: FlowClient,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Administration> {
    const identity = await startIdentity({
      SERVICE_TOKENS: [
        serviceTokenEntry(machineToken, { name: 'console', services: ['identity-admin'] }),
        serviceTokenEntry(machineOfAcmeToken, {
          name: 'console-of-acme',
          services: ['identity-admin'],
          companyId: 'acme',
        }),
      ].join(','),
      ...env,
    });
    return new Administration(identity, await identity.createClient({ resources: [ownResource] }));
  }

  async tokenOf({ email }: Pick<User, 'email'>): Promise<string> {
    const parameters = { resource: ownResource };
    const options = { client: this.client, email, password, scope: 'openid', parameters };
    return (await obtainTokens(this.identity.issuer, options)).access_token;
  }

  /** A new ADMIN and a token of theirs. */
  async admin(companyId?: string): Promise<{ user: User; token: string }> {
    const user = await this.identity.createUser({ role: 'ADMIN', companyId });
    return { user, token: await this.tokenOf(user) };
  }

  async send(token: string, route: string, body?: unknown): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`${this.identity.issuer}/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || 'null') as AnswerBody };
  }

  /** What all pages of a list hold. */
  async everyPage(token: string, path: string, list: string): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    let cursor = '';
    do {
      const { status, body } = await this.send(token, `GET ${path}${path.includes('?') ? '&' : '?'}${cursor}`);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      // A page has its list under this name.
      all.push(...(body as unknown as Record<string, Record<string, unknown>[]>)[list]!);
      cursor = body.next_cursor === null ? '' : `cursor=${encodeURIComponent(body.next_cursor)}`;
    } while (cursor !== '');
    return all;
  }

  async query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const pool = testPool({ connectionString: this.identity.databaseUrl, options: '-c search_path=identity', max: 1 });
    try {
      return (await pool.query<Row>(sql, values)).rows;
    } finally {
      await pool.end();
    }
  }

  /** The changes of a user or client, without consents, in the audit log, oldest first: event, who did it, address. */
  async changesOf({ user, client }: { user?: string; client?: string }): Promise<unknown[]> {
    const rows = await this.query<{ event: string; details: string; ip: string | null }>(
      `select event, details, ip from audit_event where (user_id = $1 or client_id = $2) and details like '%"by"%'
          and event <> 'consent.given' order by id`,
      [user ?? null, client ?? null],
    );
    return rows.map(({ event, details, ip }) => [event, (JSON.parse(details) as { by: string }).by, ip]);
  }
}
