import { describe, expect, it } from '@jest/globals';
import { readProfilePayload } from './profile-payload.js';

const url = 'https://www.linkedin.com/in/jane';

describe('readProfilePayload', () => {
  it.each([
    [{ url, data: { profile: { name: 'Jane' } } }],
    [{ url, data: { profile: { headline: 'CTO', more: [1] }, cost: 3 }, status: 'success', id: 'x' }],
    [{ url: 'https://DE.linkedin.com/in/Jane/?x', data: { profile: { location: { city: 'Berlin' } } }, error: null }],
  ])('sees a profile in %j', (body) => {
    expect(readProfilePayload(body)).toEqual({ kind: 'profile', networkUsername: 'jane' });
  });

  it.each([
    [{ url, data: {} }, 'the provider sent no profile'],
    [{ url, data: { profile: null } }, 'the provider sent no profile'],
    [{ url, data: { profile: { name: '', headline: null } } }, 'the provider sent no profile'],
    [{ url, data: { profile: [] } }, 'the provider sent no profile'],
    [{ url, data: { profile: null, error: 'profile_not_found' } }, 'profile_not_found'],
    [{ url, error: { message: 'blocked', code: 7 } }, 'blocked'],
    [{ url, error: { code: 7 } }, '{"code":7}'],
    [{ url, error: true, message: 'went wrong' }, 'went wrong'],
    [{ url, success: false, data: { profile: { name: 'left over' } } }, 'the provider reported an error'],
    [{ url, status: 'TIMED-OUT', message: 'after 60 s' }, 'TIMED-OUT: after 60 s'],
    [{ url, status: 'not_found', data: { profile: { name: 'left over' } } }, 'not_found'],
    [{ url, data: null, error: 'x'.repeat(600) }, 'x'.repeat(500)],
  ])('sees a failure in %j', (body, reason) => {
    expect(readProfilePayload(body)).toEqual({ kind: 'failure', networkUsername: 'jane', reason });
  });

  it.each([
    [undefined, 'not_an_object'],
    ['text', 'not_an_object'],
    [{ data: { profile: { name: 'x' } } }, 'url_missing'],
    [{ url: null, data: {} }, 'url_missing'],
    [{ url: ['x'], data: {} }, 'url_unusable'],
    [{ url: 'https://www.linkedin.com/company/x', data: { profile: { name: 'x' } } }, 'url_unusable'],
    [{ url }, 'data_missing'],
    [{ url, data: 'text' }, 'data_missing'],
    [{ url, data: [] }, 'data_missing'],
    [{ url, error: '' }, 'data_missing'],
  ])('cannot use %j', (body, reason) => {
    expect(readProfilePayload(body)).toMatchObject({ kind: 'unusable', reason });
  });
});
