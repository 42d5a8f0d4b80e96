import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { isSecretName, maskSecrets, maskText } from './mask-secrets.js';

const loginId = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('secrets in the log', () => {
  it.each([
    'authorization',
    'Cookie',
    'set-cookie',
    'password',
    'newPassword',
    'access_token',
    'refreshToken',
    'registration_access_token',
    'client_secret',
    'clientSecret',
    'code_verifier',
    'x-api-key',
    'private_key',
    'SERVICE_TOKENS',
  ])('a value under the name %s is masked', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(maskSecrets({ outer: [{ [name]: 'value' }] })).toEqual({ outer: [{ [name]: '***' }] });
  });

  it.each(['code', 'status', 'token_use', 'token_type', 'pageToken', 'key_id', 'keyPrefix'])(
    'a value under the name %s is kept',
    (name) => {
      expect(maskSecrets({ [name]: 'value' })).toEqual({ [name]: 'value' });
    },
  );

  it.each([
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer ***'],
    ['got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl back', 'got *** back'],
    ['key svc_0123456789012345678901234567890123456789', 'key svc_***'],
    ['postgres://user:pass%20word@host:5432/db', 'postgres://user:***@host:5432/db'],
    ['/callback?code=abc&state=1', '/callback?code=***&state=1'],
    [`/login/${loginId}/submit`, '/login/***/submit'],
    [`/login/${loginId.replaceAll(/\d/g, 'x')}/submit`, '/login/***/submit'],
    [`/profiles/${'handle-7'.repeat(6).slice(0, 43)}/status`, `/profiles/${'handle-7'.repeat(6).slice(0, 43)}/status`],
    ['nothing to hide', 'nothing to hide'],
  ])('in the text %j what looks like a credential is masked', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it('copes with cycles, dates, buffers and absent values', () => {
    const cyclic: Record<string, unknown> = {
      when: new Date(0),
      bytes: Buffer.from('abc'),
      token: null,
      secret: undefined,
    };
    cyclic['self'] = cyclic;
    expect(() => JSON.stringify(maskSecrets(cyclic))).not.toThrow();
    expect(maskSecrets({ when: new Date(0), bytes: Buffer.from('abc'), token: null })).toEqual({
      when: new Date(0),
      bytes: '[3 bytes]',
      token: null,
    });
  });

  it('masks messages, causes and query parameters of logged errors', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'example', level: 'info' }, { write: (line) => void lines.push(line) });
    const cause = new Error('connect postgres://me:hunter2@host failed');
    const error = Object.assign(new Error('Bearer abcdefgh refused', { cause }), { parameters: ['hunter3'] });
    logger.error({ err: error }, 'failed with token=%s', '?token=hunter4');
    logger.error(error);
    const log = lines.join('');
    expect(log).toContain('"stack":"Error: Bearer ***');
    for (const hidden of ['hunter2', 'hunter3', 'hunter4', 'abcdefgh']) expect(log).not.toContain(hidden);
  });
});
