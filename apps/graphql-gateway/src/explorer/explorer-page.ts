// The page around GraphiQL: the key, examples, and the limits. It looks like all pages, and explorer-page.css gives
// GraphiQL the same colours.
import { brand, markup } from '@tradewind/service-kit';

export interface ExplorerPage {
  /** Allows the scripts and styles of this answer, and no others. */
  nonce: string;
  dataCallsPerDay: number;
  requestsPerMinute: number;
}

export function explorerPage({ nonce, dataCallsPerDay, requestsPerMinute }: ExplorerPage): string {
  const styles = ['graphiql.min.css', 'colours.css', 'explorer-page.css'];
  const scripts = ['react.production.min.js', 'react-dom.production.min.js', 'graphiql.min.js'];
  const grouped = (count: number) => count.toLocaleString('en');
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>Data API explorer · Tradewind</title>
        ${styles.map((name) => markup`<link rel="stylesheet" nonce="${nonce}" href="/explorer/${name}">`)}
      </head>
      <body>
        <main>
          <div class="top">
            ${brand}
            <h1>Data API explorer</h1>
          </div>
          <div class="bar">
            <div class="key">
              <label for="key">API key</label>
              <div class="row">
                <input
                  id="key"
                  type="password"
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck="false"
                  maxlength="200"
                  placeholder="svc_…"
                  aria-describedby="key-hint"
                >
                <button id="show-key" type="button" aria-pressed="false">Show</button>
                <button id="copy-key" type="button">Copy</button>
              </div>
              <div class="notes">
                <p class="hint" id="key-hint">It stays in this page, until you close or reload it.</p>
                <details id="make-key">
                  <summary>No key yet? Make one for a day</summary>
                  <form id="login">
                    <div>
                      <label for="email">Email address</label>
                      <input id="email" type="email" autocomplete="username" maxlength="254" required>
                    </div>
                    <div>
                      <label for="password">Password</label>
                      <input id="password" type="password" autocomplete="current-password" maxlength="1024" required>
                    </div>
                    <button class="primary" type="submit">Make a key</button>
                  </form>
                </details>
              </div>
            </div>
            <div class="example">
              <label for="example">Example</label>
              <select id="example"></select>
              <p class="hint">
                Limits: ${grouped(dataCallsPerDay)} data calls a day (UTC), ${grouped(requestsPerMinute)} other requests a
                minute.
              </p>
              <output id="limits" class="limits"></output>
            </div>
            <output id="notice" role="status"></output>
          </div>
          <div id="graphiql"><p>The page needs JavaScript.</p></div>
        </main>
        ${scripts.map((name) => markup`<script nonce="${nonce}" src="/explorer/${name}"></script>`)}
        <script nonce="${nonce}" type="module" src="/explorer/explorer-page.js"></script>
      </body>
    </html> `.text;
}
