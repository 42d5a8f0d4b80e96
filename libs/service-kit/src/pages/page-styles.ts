// The style sheet of all pages: inline, so that a page needs no second request, and allowed by its hash.
// Text and controls have the contrast of WCAG 2.2 AA in both colour schemes.
import { hash } from 'node:crypto';

/** The colours alone, for pages of libraries that bring a style sheet of their own. */
export const pageColours = `
:root {
  color-scheme: light dark;
  --ground: #eef2f6; --ground-far: #dfe8f0; --card: #ffffff; --edge: #d5dde6; --ink: #14212e; --soft: #4a5a6a;
  --field: #ffffff; --field-edge: #76869a; --brand: #0b5c86; --brand-strong: #084763; --on-brand: #ffffff;
  --focus: #b45309; --bad: #b3261e; --bad-ground: #fdf0ef; --note: #f3f6f9; --warn-edge: #b45309; --shadow: 0 1px 2px #14212e14, 0 12px 32px #14212e1a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d151d; --ground-far: #101e2a; --card: #16212c; --edge: #2a3947; --ink: #e8eef4; --soft: #a9b8c6;
    --field: #0f1820; --field-edge: #7b8c9d; --brand: #7cc4ec; --brand-strong: #a5d8f5; --on-brand: #06202f;
    --focus: #fbbf24; --bad: #ffb4ab; --bad-ground: #38191a; --note: #1b2935; --warn-edge: #fbbf24; --shadow: 0 1px 2px #0006, 0 16px 40px #0007;
  }
}
`;

export const pageStyles = `${pageColours}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; padding: 1rem; color: var(--ink);
  background: radial-gradient(120% 90% at 50% -10%, var(--ground-far), var(--ground)) no-repeat var(--ground);
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1rem;
}
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; font-size: 1.125rem; letter-spacing: .01em; color: var(--brand); }
.brand svg { width: 1.9rem; height: 1.9rem; }
.brand span { color: var(--ink); }
main {
  width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--edge); border-radius: 1rem;
  padding: 1.75rem 2rem; box-shadow: var(--shadow);
}
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1rem; }
h2.other { margin: 1.5rem 0 1rem; }
button { overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.lead { color: var(--soft); margin-bottom: 1.5rem; }
label { display: block; font-weight: 600; margin: 0 0 .375rem; }
input {
  display: block; width: 100%; font: inherit; color: inherit; background: var(--field); border: 1px solid var(--field-edge);
  border-radius: .5rem; padding: .625rem .75rem; min-height: 2.75rem; margin: 0 0 1.125rem;
}
input[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
button {
  display: block; width: 100%; min-height: 2.75rem; font: inherit; font-weight: 600; border-radius: .5rem; cursor: pointer;
  padding: .625rem 1rem; border: 1px solid transparent;
}
.primary { background: var(--brand); color: var(--on-brand); margin-top: .375rem; }
.primary:hover { background: var(--brand-strong); }
.secondary { background: transparent; color: var(--brand); border-color: var(--field-edge); margin-top: .75rem; }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.actions button { height: 100%; margin: 0; }
.secondary:hover { background: var(--note); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
a { color: var(--brand); }
.problem { border: 1px solid var(--bad); border-left-width: 5px; background: var(--bad-ground); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1.5rem; }
.problem h2 { color: var(--bad); }
.problem p { margin: .25rem 0 0; }
.problem a { color: inherit; font-weight: 600; }
.facts { background: var(--note); border-radius: .5rem; padding: .625rem 1rem; margin: .75rem 0 1rem; display: grid; gap: .25rem; }
.facts div { display: grid; }
.facts dt { color: var(--soft); font-size: .875rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.facts a { font-weight: 400; }
.scopes { list-style: none; margin: .5rem 0 1.25rem; padding: 0; border: 1px solid var(--edge); border-radius: .5rem; }
.scopes li { padding: .4rem 1rem .5rem 2.6rem; position: relative; line-height: 1.35; overflow-wrap: anywhere; }
.scopes li + li { border-top: 1px solid var(--edge); }
.scopes li::before { content: ""; position: absolute; left: 1.05rem; top: .72rem; width: .45rem; height: .8rem; border: solid var(--brand); border-width: 0 2px 2px 0; transform: rotate(40deg) translateY(-.2rem); }
.scopes strong { display: block; font-weight: 600; }
.scopes span { color: var(--soft); font-size: .9375rem; }
.warning { border-left: 4px solid var(--warn-edge); padding: .125rem 0 .125rem .875rem; font-size: .9375rem; }
[hidden] { display: none !important; }
.password { position: relative; }
.password input { padding-right: 7.5rem; }
.password button { position: absolute; right: 1px; top: 1px; width: auto; min-height: 2.75rem; padding: .5rem .875rem; background: transparent; color: var(--brand); border-radius: .5rem; }
.hint { color: var(--soft); font-size: .9375rem; margin: 0 0 .5rem; }
.link { background: transparent; color: var(--brand); font-weight: 400; text-decoration: underline; padding: .5rem 0; margin-top: .5rem; }
.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
.danger:hover { background: var(--bad-ground); }
.notice { border-left: 5px solid var(--brand); background: var(--note); border-radius: .5rem; padding: .75rem 1rem; }
.back { margin: 0 0 .75rem; font-size: .9375rem; }
.back a, .links a { display: inline-block; padding: .2rem 0; min-height: 1.75rem; }
.back a::before { content: "\\2190\\a0" / ""; }
.menu, .rows, .permissions { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.menu, .rows { border: 1px solid var(--edge); border-radius: .5rem; }
.menu li + li, .rows > li + li { border-top: 1px solid var(--edge); }
.menu a { display: block; padding: .75rem 1rem; text-decoration: none; overflow-wrap: anywhere; }
.menu a:hover { background: var(--note); }
.menu strong { display: block; text-decoration: underline; font-weight: 600; }
.menu span, .rows span { color: var(--soft); font-size: .9375rem; }
.rows > li { display: grid; grid-template-columns: 1fr auto; gap: .75rem 1rem; align-items: center; padding: .875rem 1rem; overflow-wrap: anywhere; }
.rows strong { font-weight: 600; }
.rows div > span:not(.badge) { display: block; }
.rows .badge { border: 1px solid var(--field-edge); border-radius: 1rem; padding: .05rem .6rem; margin-left: .25rem; white-space: nowrap; }
.rows button { margin: 0; }
.permissions { margin: .125rem 0; }
.permissions li { display: inline; font-size: .9375rem; }
.permissions li + li::before { content: "\\b7" / ""; margin: 0 .4em 0 .1em; }
main.wide { max-width: 44rem; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1.25rem 0 0; font-size: .9375rem; }
.technical { color: var(--soft); font-size: .9375rem; border-top: 1px solid var(--edge); margin: 1.25rem 0 0; padding-top: 1rem; }
.technical code { display: block; font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--ink); overflow-wrap: anywhere; margin-top: .25rem; }
form[data-passkey] + form, .technical + form { margin-top: 1.5rem; }
.qr { display: block; width: 13rem; max-width: 100%; margin: 0 auto 1rem; border-radius: .5rem; }
.codes { list-style: none; margin: 0 0 1.25rem; padding: .75rem 1rem; background: var(--note); border-radius: .5rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .375rem 1rem; font: 1rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (max-width: 30rem) {
  body { padding: 0; justify-content: flex-start; gap: 0; background: var(--card); }
  .brand { align-self: stretch; padding: 1rem 1.25rem; border-bottom: 1px solid var(--edge); }
  .rows > li { grid-template-columns: 1fr; }
  main { border: 0; border-radius: 0; box-shadow: none; padding: 1.5rem 1.25rem 2rem; max-width: none; }
}
@media (forced-colors: active) { .primary, .secondary, .danger, main { border: 1px solid; } }
`;

/** For the Content-Security-Policy: the browser applies this sheet and no other style. */
export const pageStylesSource = `'sha256-${hash('sha256', pageStyles, 'base64')}'`;
