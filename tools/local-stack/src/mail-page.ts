// The mail catcher of the local platform: a mail server for identity, and a page that lists what it received.
import { createServer, type Server } from 'node:http';
import { MailCatcher, type CaughtMail } from '@tradewind/testkit';

export class LocalMail {
  private constructor(
    private readonly catcher: MailCatcher,
    private readonly server: Server,
  ) {}

  static async start(ports: { page: number; smtp: number }): Promise<LocalMail> {
    const catcher = await MailCatcher.start(ports.smtp);
    const server = createServer((request, response) => {
      // Another page in the browser must not read the links: only this machine's own names are answered.
      const isOwn = /^(localhost|127\.0\.0\.1):\d+$/.test(request.headers.host ?? '');
      const isPage = isOwn && request.method === 'GET' && request.url === '/';
      response.writeHead(isPage ? 200 : 404, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'`,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      response.end(isPage ? mailPage(catcher.mails) : 'There is nothing here.');
    });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(ports.page, '127.0.0.1', () => resolve());
      });
    } catch (error) {
      await catcher.close();
      throw error;
    }
    return new LocalMail(catcher, server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    await this.catcher.close();
  }
}

/** Newest first. */
export function mailPage(mails: readonly CaughtMail[]): string {
  const items = mails.toReversed().map(
    ({ to, from, subject, text, receivedAt }) => `<article>
<h2>${escaped(subject)}</h2>
<p>To ${escaped(to.join(', '))} · from ${escaped(from)} · <time>${receivedAt.toISOString()}</time></p>
<pre>${withLinks(text)}</pre>
</article>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails · Tradewind</title>
<style>
:root { color-scheme: light dark; }
body { font: 100%/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid; padding: .5rem 0; }
h2 { margin: .5rem 0 0; font-size: 1.125rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
</style></head>
<body><main><h1>Mails</h1>
<p>What this platform sent. Nothing leaves this machine. Load the page again for newer ones.</p>
${items.join('\n') || '<p>None yet.</p>'}
</main></body></html>`;
}

const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
