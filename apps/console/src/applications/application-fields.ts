// What a form of an application holds as text, and what of it identity is asked to change.
import type { components } from '../api/identity.generated';
import type { Application } from './application.types';

export interface ApplicationFields {
  name: string;
  /** One URI a line. */
  redirectUris: string;
  /** One URI a line. */
  signOutUris: string;
  logoutCall: string;
  /** Separated by blanks; empty: all. */
  scope: string;
  resources: readonly string[];
}

export const noFields: ApplicationFields = {
  ...{ name: '', redirectUris: '', signOutUris: '', logoutCall: '', scope: '', resources: [] },
};

export function fieldsOf(application: Application): ApplicationFields {
  return {
    name: application.client_name ?? '',
    redirectUris: application.redirect_uris.join('\n'),
    signOutUris: application.post_logout_redirect_uris.join('\n'),
    logoutCall: application.backchannel_logout_uri ?? '',
    scope: application.scope ?? '',
    resources: application.resources,
  };
}

/** The words of a text, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.split(/\s+/).filter(Boolean))];

/** A new application; what is empty is left out. */
export function creationOf(
  fields: ApplicationFields,
  { id, authMethod }: { id: string; authMethod: string },
): components['schemas']['CreateClientDto'] {
  const scope = wordsOf(fields.scope).join(' ');
  return {
    ...(id.trim() !== '' && { client_id: id.trim() }),
    ...(fields.name.trim() !== '' && { client_name: fields.name.trim() }),
    redirect_uris: wordsOf(fields.redirectUris),
    ...(fields.signOutUris.trim() !== '' && { post_logout_redirect_uris: wordsOf(fields.signOutUris) }),
    ...(fields.logoutCall.trim() !== '' && { backchannel_logout_uri: fields.logoutCall.trim() }),
    grant_types: ['authorization_code', 'refresh_token'],
    // One of the choices of the form, which are those of the document.
    token_endpoint_auth_method: authMethod as components['schemas']['CreateClientDto']['token_endpoint_auth_method'],
    ...(scope !== '' && { scope }),
    resources: [...fields.resources],
  };
}

/** What a form changed. What it left alone is absent, so that a change by somebody else stays. */
export function changeOf(before: ApplicationFields, after: ApplicationFields): components['schemas']['EditClientDto'] {
  const isChanged = (name: keyof ApplicationFields) => before[name] !== after[name];
  const uris = wordsOf(after.signOutUris);
  return {
    ...(isChanged('name') && { client_name: after.name.trim() || null }),
    ...(isChanged('redirectUris') && { redirect_uris: wordsOf(after.redirectUris) }),
    ...(isChanged('signOutUris') && { post_logout_redirect_uris: uris.length > 0 ? uris : null }),
    ...(isChanged('logoutCall') && { backchannel_logout_uri: after.logoutCall.trim() || null }),
    ...(isChanged('scope') && { scope: wordsOf(after.scope).join(' ') || null }),
  };
}

export function resourceChangesOf(
  before: readonly string[],
  after: readonly string[],
): { allowed: string[]; disallowed: string[] } {
  return {
    allowed: after.filter((resource) => !before.includes(resource)),
    disallowed: before.filter((resource) => !after.includes(resource)),
  };
}
