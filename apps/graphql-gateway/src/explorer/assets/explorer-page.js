/* global document, React, ReactDOM, GraphiQL */
// GraphiQL around the data API: the key goes into every request and stays in this page; examples open in the editor.
const byId = (id) => document.getElementById(id);
const keyField = byId('key');
const limits = byId('limits');
const notice = byId('notice');
const examples = await (await fetch('/explorer/examples.json')).json();

async function post(path, credential, body) {
  const headers = { 'content-type': 'application/json' };
  if (credential) headers.authorization = `Bearer ${credential}`;
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const [limit, remaining] = ['limit', 'remaining'].map((name) => response.headers.get(`x-ratelimit-${name}`));
  limits.value = limit === null ? '' : `${remaining} of ${limit} left`;
  return response.json();
}

const fetcher = (request) => post('/graphql', keyField.value.trim(), request);
const root = ReactDOM.createRoot(byId('graphiql'));

// A new element for each key and example: GraphiQL reads the schema, and its first text, only when it is made.
let generation = 0;
function show(example) {
  const { query, variables } = example;
  root.render(
    React.createElement(GraphiQL, {
      key: ++generation,
      fetcher,
      query,
      variables: JSON.stringify(variables, null, 2),
      shouldPersistHeaders: false,
      isHeadersEditorEnabled: false,
      defaultEditorToolsVisibility: 'variables',
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
const shown = () => examples[Number(select.value)];
select.addEventListener('change', () => show(shown()));
keyField.addEventListener('change', () => show(shown()));

byId('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const input = { email: byId('email').value, password: byId('password').value };
  const login = await post('/auth/graphql', null, {
    query: 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
    variables: { input },
  });
  const token = login.data?.authenticateUser.token;
  if (!token) {
    notice.value = login.message ?? login.errors[0].message;
    return;
  }
  const made = await post('/auth/graphql', token, {
    query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
    variables: { input: { name: 'explorer', expiresInDays: 1 } },
  });
  keyField.value = made.data?.createApiKey ?? '';
  notice.value = made.data ? 'A key for one day; copy it if you want to keep it.' : made.message;
  show(shown());
});

show(examples[0]);
