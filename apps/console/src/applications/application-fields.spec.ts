import { describe, expect, it } from '@jest/globals';
import { changeOf, creationOf, fieldsOf, noFields, resourceChangesOf, wordsOf } from './application-fields.js';

const reports = fieldsOf({
  ...{ client_id: 'reports', client_name: 'Reports', origin: 'operator', created_at: '', used_at: null },
  ...{ redirect_uris: ['https://a.example.com/cb', 'https://b.example.com/cb'], post_logout_redirect_uris: [] },
  ...{ backchannel_logout_uri: null, grant_types: [], token_endpoint_auth_method: 'none', scope: null },
  ...{ introspects: null, resources: ['urn:tradewind:data'] },
});

describe('the form of an application', () => {
  it('leaves out what is empty when it makes one', () => {
    expect(creationOf({ ...noFields, redirectUris: ' https://a.example.com/cb\n' }, { id: '', authMethod: 'none' }))
      // grant_types are those of a program that signs people in.
      .toEqual({
        redirect_uris: ['https://a.example.com/cb'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        resources: [],
      });
  });

  it('changes nothing that was left alone', () => {
    expect(changeOf(reports, reports)).toEqual({});
    expect(changeOf(reports, { ...reports, redirectUris: 'https://c.example.com/cb' })).toEqual({
      redirect_uris: ['https://c.example.com/cb'],
    });
  });

  it('removes what was made empty, but sends no redirect URIs as they are', () => {
    const full = { ...reports, signOutUris: 'https://a.example.com/', logoutCall: 'https://a.example.com/out' };
    const emptied = { ...reports, name: ' ', redirectUris: '', scope: '' };
    expect(changeOf({ ...full, scope: 'openid' }, emptied)).toEqual({
      ...{ client_name: null, redirect_uris: [], post_logout_redirect_uris: null },
      ...{ backchannel_logout_uri: null, scope: null },
    });
  });

  it('names each URI once', () => {
    expect(wordsOf(' a\nb  a\r\n')).toEqual(['a', 'b']);
  });

  it('allows and disallows resources by the difference', () => {
    expect(resourceChangesOf(['a', 'b'], ['b', 'c'])).toEqual({ allowed: ['c'], disallowed: ['a'] });
  });
});
