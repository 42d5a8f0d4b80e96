// The page at `/docs`: Swagger UI in the look of all pages. Its files come from `/docs/...`, and nothing from other
// hosts. Nest's own page has no size for phones, stays light in a dark system, and takes any script.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Markup, markup } from './markup.js';
import { brand } from './page.js';
import { pageHeaders } from './page-headers.js';
import { pageColours } from './page-styles.js';

/** Where Nest serves its page; ours replaces it. */
const pagePaths = new Set(['/docs', '/docs/', '/docs/index.html']);

/** Answers with the page where Nest would with its own. Must be called before the routes of `/docs` are added. */
export function serveDocsPage(instance: FastifyInstance, title: string): void {
  instance.addHook('onRequest', (request, reply, done) => {
    if (!pagePaths.has(request.routeOptions.url ?? '')) return done();
    const nonce = randomBytes(16).toString('base64url');
    void reply
      .headers({ ...pageHeaders, 'content-security-policy': contentPolicy(nonce), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(docsPage(title, nonce));
  });
}

/** The scripts and styles of this answer alone. The style sheet of Swagger UI has pictures inside. */
const contentPolicy = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src data:`,
    `connect-src 'self'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');

function docsPage(title: string, nonce: string): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>${title}</title>
        <link rel="stylesheet" nonce="${nonce}" href="/docs/swagger-ui.css">
        <style nonce="${nonce}">${new Markup(pageColours + docsStyles)}</style>
      </head>
      <body>
        ${brand}
        <div id="swagger-ui"></div>
        <script nonce="${nonce}" src="/docs/swagger-ui-bundle.js"></script>
        <script nonce="${nonce}" type="module">${new Markup(docsScript)}</script>
      </body>
    </html> `.text;
}

const docsScript = `
// Swagger UI has dark colours for whoever asks for them by this class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// What it lacks for screen readers and keyboards: a level of headings without gaps, a name of its first part, and
// examples that scroll.
const levels = { H3: '2', H4: '3', H5: '4' };
new MutationObserver(() => {
  const all = (selector) => document.querySelectorAll('#swagger-ui ' + selector);
  for (const heading of all(':is(h3, h4, h5):not([aria-level])'))
    heading.setAttribute('aria-level', levels[heading.tagName]);
  for (const part of all('.information-container:not([role])')) {
    part.setAttribute('role', 'region');
    part.setAttribute('aria-label', 'About this API');
  }
  for (const text of all('pre:not([tabindex])')) text.tabIndex = 0;
}).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true });

SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('swagger-ui'),
  presets: [SwaggerUIBundle.presets.apis],
  // With it each summary is a link inside a button.
  deepLinking: false,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

// Swagger UI names its parts by up to five classes: three more win.
const docsStyles = `
html, html.dark-mode { background: var(--card); }
body { margin: 0; font: 100%/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif; color: var(--ink); }
.brand { display: flex; align-items: center; gap: .6rem; padding: .625rem 1.25rem; border-bottom: 1px solid var(--edge); font-weight: 650; font-size: 1.125rem; letter-spacing: .01em; color: var(--brand); }
.brand svg { width: 1.9rem; height: 1.9rem; }
.brand span { color: var(--ink); }
:focus-visible { outline: 3px solid var(--focus) !important; outline-offset: 2px; }
:root:root:root .swagger-ui{ background: none; color: var(--ink); }
:root:root:root .swagger-ui :is(.info, .scheme-container, section, .opblock, .btn, table, .model, .model-title, .parameter__name, .tab, label, p, li, h1, h2, h3, h4, h5, select, input, .markdown) { font-family: inherit; }
:root:root:root .swagger-ui .wrapper { padding: 0 1.25rem; }
:root:root:root .swagger-ui .info { margin: 1.5rem 0 1rem; }
:root:root:root .swagger-ui .info .title { font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; color: var(--ink); }
:root:root:root .swagger-ui .info :is(p, li, table), :root:root:root .swagger-ui .info .base-url { color: var(--soft); font-size: 1rem; }
:root:root:root .swagger-ui .info .title small, :root:root:root .swagger-ui .info .title small.version-stamp { top: 0; padding: .125rem .5rem; border-radius: 1rem; background: var(--note); border: 1px solid var(--field-edge); vertical-align: middle; }
:root:root:root .swagger-ui .info .title small pre.version { color: var(--ink); font-family: inherit; font-size: .8125rem; font-weight: 400; padding: 0; background: none; }
:root:root:root .swagger-ui :is(a, .link) { color: var(--brand); text-decoration: underline; }
:root:root:root .swagger-ui .nostyle { color: inherit; text-decoration: none; }
:root:root:root .swagger-ui .opblock-summary-control:focus:not(:focus-visible) { outline: none; }
:root:root:root .swagger-ui .btn.authorize { display: inline-flex; align-items: center; gap: .75rem; }
:root:root:root .swagger-ui .btn.authorize span { float: none; padding: 0; }
:root:root:root .swagger-ui .scheme-container { background: none; box-shadow: none; padding: 0 0 1rem; margin: 0; }
/* There is one server: the service itself. */
:root:root:root .swagger-ui .schemes-server-container { display: none !important; }
:root:root:root .swagger-ui .auth-wrapper { justify-content: flex-start; }
:root:root:root .swagger-ui .btn { border-radius: .5rem; border-color: var(--field-edge); color: var(--brand); box-shadow: none; background: transparent; min-height: 2.75rem; }
:root:root:root .swagger-ui .btn:hover { background: var(--note); box-shadow: none; }
:root:root:root .swagger-ui .btn.authorize, :root:root:root .swagger-ui .scheme-container .btn.authorize { border-color: var(--field-edge); color: var(--brand); }
:root:root:root .swagger-ui .btn.authorize svg, :root:root:root .swagger-ui .scheme-container .btn.authorize svg { color: inherit; fill: currentColor; }
:root:root:root .swagger-ui .btn.execute, :root:root:root .swagger-ui .dialog-ux .modal-ux .btn.modal-btn.authorize { background: var(--brand); border-color: transparent; color: var(--on-brand); }
:root:root:root .swagger-ui .btn.execute:hover { background: var(--brand-strong); }
:root:root:root .swagger-ui .btn.cancel { border-color: var(--bad); color: var(--bad); }
:root:root:root .swagger-ui :is(select, input[type=text], input[type=password], input[type=email], textarea) { border: 1px solid var(--field-edge); border-radius: .5rem; background-color: var(--field); color: var(--ink); box-shadow: none; min-height: 2.5rem; max-width: 100%; }
:root:root:root .swagger-ui :is(input, textarea)::placeholder { color: var(--soft); opacity: 1; }
:root:root:root .swagger-ui .opblock-tag { border-color: var(--edge); color: var(--ink); font-size: 1.125rem; font-weight: 650; }
:root:root:root .swagger-ui .opblock{ background: none !important; border: 1px solid var(--edge) !important; border-radius: .5rem; box-shadow: none; }
:root:root:root .swagger-ui .opblock .opblock-summary{ border-color: var(--edge) !important; }
:root:root:root .swagger-ui .opblock .opblock-summary-method{ background: var(--note) !important; color: var(--brand) !important; border: 1px solid var(--field-edge); border-radius: .375rem; font-family: inherit; text-shadow: none; }
:root:root:root .swagger-ui .opblock.opblock-delete .opblock-summary-method { color: var(--bad) !important; }
:root:root:root .swagger-ui .opblock .opblock-summary-path { color: var(--ink); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:root:root:root .swagger-ui .opblock .opblock-summary-description, :root:root:root .swagger-ui .opblock-description-wrapper p { color: var(--soft); }
:root:root:root .swagger-ui .opblock .opblock-section-header { background: var(--note); box-shadow: none; }
:root:root:root .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { background: var(--brand); }
:root:root:root .swagger-ui :is(.opblock-title, .opblock-section-header h4, .opblock-section-header label, .parameter__name, .parameter__type, .response-col_status, .response-col_description, .response-col_links, .tab li, .model, .model-title, .models h4, .prop-type, table thead tr th, table thead tr td, .responses-inner h4, .responses-inner h5, label, .response-control-media-type__title, .response-control-media-type__accept-message, .parameter__in, .renderedMarkdown p, .markdown p, .no-margin, .col_header) { color: var(--ink); }
:root:root:root .swagger-ui :is(.prop-format, .parameter__deprecated, .parameter__extension, .parameter__in, .response-col_links i, .model .property.primitive) { color: var(--soft); }
:root:root:root .swagger-ui .parameter__name.required::after { color: var(--bad); }
:root:root:root .swagger-ui .model-box, :root:root:root .swagger-ui section.models .model-container { background: var(--note); }
:root:root:root .swagger-ui section.models, :root:root:root .swagger-ui section.models.is-open h4 { border-color: var(--edge); }
:root:root:root .swagger-ui .tab li button.tablinks { color: inherit; }
:root:root:root .swagger-ui :is(pre.example, pre.microlight, .highlight-code > pre, .curl){ background: #14212e !important; color: #e8eef4 !important; border-radius: .5rem; }
:root:root:root .swagger-ui :is(pre.example, pre.microlight, .highlight-code > pre) span { color: #e8eef4 !important; }
:root:root:root .swagger-ui .dialog-ux .modal-ux{ background: var(--card); color: var(--ink); border: 1px solid var(--edge); border-radius: 1rem; }
:root:root:root .swagger-ui .dialog-ux .modal-ux :is(h2, h3, h4, p, label, code) { color: var(--ink); }
:root:root:root .swagger-ui svg { fill: currentColor; }
@media (max-width: 48rem) {
  :root:root:root .swagger-ui .wrapper { padding: 0 1rem; }
  :root:root:root .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; min-width: 0; }
  :root:root:root .swagger-ui .opblock .opblock-summary-path { flex: 1 1 100%; max-width: 100%; padding: .25rem .5rem; overflow-wrap: anywhere; }
  :root:root:root .swagger-ui .opblock .opblock-summary-description { flex: 1 1 100%; padding: 0 .5rem; }
  :root:root:root .swagger-ui :is(.parameters, .responses-table), :root:root:root .swagger-ui :is(.parameters, .responses-table) :is(thead, tbody, tr, td) { display: block; width: auto; max-width: 100%; }
  :root:root:root .swagger-ui :is(.parameters, .responses-table) thead { display: none; }
  :root:root:root .swagger-ui :is(.parameters, .responses-table) td { padding: .25rem 0; min-width: 0; }
  :root:root:root .swagger-ui .response-col_links { display: none; }
  :root:root:root .swagger-ui .response-col_status { font-weight: 650; }
  :root:root:root .swagger-ui .parameters-col_description :is(input, select, textarea) { width: 100%; max-width: 100%; }
  :root:root:root .swagger-ui .opblock-body pre { max-width: 100%; overflow-x: auto; }
  :root:root:root .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 2rem); }
}
`;
