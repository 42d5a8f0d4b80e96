// The provider grants offline_access only with prompt=consent, as OpenID Connect Core 11 has it. Here asking for the scope
// is enough: the prompt is added to the request, with a mark that the client did not ask for it, so that a user who has
// consented before is not asked again. With prompt=none nobody can consent, and the request goes on without a refresh token.

/** Parameter that says so. A client that sends it says no more than that it can do without its own prompt=consent. */
export const consentOnce = 'consent_once';

/** The parameters of an authorization request with the prompt that offline_access needs; undefined: they stay as they are. */
export function withOfflineConsent(parameters: string): string | undefined {
  if (!parameters.includes('offline_access')) return undefined;
  const form = new URLSearchParams(parameters);
  const [scopes, prompts] = [form.getAll('scope'), form.getAll('prompt')];
  // What is given twice is refused by the provider.
  if (scopes.length !== 1 || prompts.length > 1 || !scopes[0]?.split(' ').includes('offline_access')) return undefined;
  const asked = prompts[0]?.split(' ').filter(Boolean) ?? [];
  if (asked.includes('none') || asked.includes('consent')) return undefined;
  form.set('prompt', [...asked, 'consent'].join(' '));
  form.set(consentOnce, 'true');
  return form.toString();
}
