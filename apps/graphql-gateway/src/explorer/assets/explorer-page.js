/* global document, navigator, localStorage, MutationObserver, React, ReactDOM, GraphiQL */
// GraphiQL around the data API: the key goes into every request and stays in this page; examples open in the editor.
const byId = (id) => document.getElementById(id);
const keyField = byId('key');
const showButton = byId('show-key');
const notice = byId('notice');

// For the style element that GraphiQL's dialogs write.
globalThis.__webpack_nonce__ = document.querySelector('script[nonce]').nonce;

const json = async (path) => (await fetch(path)).json();
const [examples, schema] = await Promise.all([json('/explorer/examples.json'), json('/explorer/schema.json')]);

/** What is left of the limit that an answer names, with its unit. */
function showLimit(headers) {
  const [limit, left] = ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));
  if (limit === null) return;
  const isDaily = headers.get('ratelimit-policy')?.includes('w=86400');
  const [count, of] = [left, limit].map((text) => Number(text).toLocaleString('en'));
  byId('limits').value = isDaily
    ? `Data calls: ${count} of ${of} left today (UTC)`
    : `Other requests: ${count} of ${of} left in this minute`;
}

async function post(path, credential, body) {
  const headers = { 'content-type': 'application/json' };
  if (credential) headers.authorization = `Bearer ${credential}`;
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  showLimit(response.headers);
  return response.json();
}

const keyMissing = 'A request needs an API key: paste one, or make one.';
function fetcher(request) {
  const key = keyField.value.trim();
  if (!key) notice.value = keyMissing;
  else if (notice.value === keyMissing) notice.value = '';
  return post('/graphql', key, request);
}

// What the editors of GraphiQL lack: names for screen readers, and scrolling with a keyboard.
new MutationObserver(() => {
  for (const editor of document.querySelectorAll('.CodeMirror textarea:not([aria-label])'))
    editor.setAttribute('aria-label', editor.closest('[aria-label]')?.getAttribute('aria-label') ?? 'Editor');
  for (const scroller of document.querySelectorAll('.CodeMirror-scroll[tabindex="-1"]'))
    scroller.setAttribute('tabindex', '0');
  // Its text says what it is.
  for (const item of document.querySelectorAll('.graphiql-history-item-label[aria-label]'))
    item.removeAttribute('aria-label');
}).observe(document.body, { childList: true, subtree: true });

const root = ReactDOM.createRoot(byId('graphiql'));

// A new element for each example: GraphiQL reads its first text only when it is made.
let generation = 0;
function show({ query, variables }) {
  try {
    // Otherwise it keeps every example as a tab that nobody sees.
    localStorage.removeItem('graphiql:tabState');
  } catch {
    // A browser that stores nothing keeps no tabs either.
  }
  root.render(
    React.createElement(GraphiQL, {
      key: ++generation,
      fetcher,
      schema,
      query,
      variables: JSON.stringify(variables, null, 2),
      shouldPersistHeaders: false,
      isHeadersEditorEnabled: false,
      defaultEditorToolsVisibility: 'variables',
      forcedTheme: 'system',
      // A browser has tabs already, and these are none to a screen reader.
      disableTabs: true,
    }),
  );
}

const select = byId('example');
for (const [index, { title }] of examples.entries()) {
  const option = document.createElement('option');
  option.value = String(index);
  option.textContent = title;
  select.append(option);
}
select.addEventListener('change', () => show(examples[Number(select.value)]));

function showKey(isShown) {
  keyField.type = isShown ? 'text' : 'password';
  showButton.setAttribute('aria-pressed', String(isShown));
}
showButton.addEventListener('click', () => showKey(keyField.type === 'password'));

byId('copy-key').addEventListener('click', async () => {
  const key = keyField.value.trim();
  if (!key) {
    notice.value = 'There is no key to copy yet.';
    return;
  }
  try {
    await navigator.clipboard.writeText(key);
    notice.value = 'The key is copied.';
  } catch {
    // Without https, or where it is not allowed, the person copies it.
    showKey(true);
    keyField.select();
    notice.value = 'Press Ctrl+C or ⌘C to copy the key.';
  }
});

/** A key for one day, with the name and password of a user. */
async function makeKey(input) {
  const login = await post('/auth/graphql', null, {
    query: 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
    variables: { input },
  });
  const token = login.data?.authenticateUser.token;
  if (!token) throw new Error(login.message ?? login.errors[0].message);
  const made = await post('/auth/graphql', token, {
    query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
    variables: { input: { name: 'explorer', expiresInDays: 1 } },
  });
  if (!made.data) throw new Error(made.message ?? made.errors[0].message);
  return made.data.createApiKey;
}

byId('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = event.submitter;
  button.disabled = true;
  try {
    keyField.value = await makeKey({ email: byId('email').value, password: byId('password').value });
    byId('password').value = '';
    byId('make-key').open = false;
    notice.value = 'A key for one day; copy it if you want to keep it.';
  } catch (error) {
    notice.value = error instanceof TypeError ? 'The service does not answer. Try again.' : error.message;
  } finally {
    button.disabled = false;
  }
});

show(examples[0]);
