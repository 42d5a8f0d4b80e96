import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { findServiceToken, parseServiceTokens, serviceTokenEntry } from './service-tokens.js';

const sumOf = (token: string) => createHash('sha256').update(token).digest('hex');

it('reads names, services and companies', () => {
  const input = ` report:${sumOf('one').toUpperCase()}:priority-api+priority-webhook, crm:${sumOf('two')}:interactions:company=acme:eu 1 ,`;
  expect(parseServiceTokens(input)).toEqual([
    { name: 'report', sha256: sumOf('one'), services: ['priority-api', 'priority-webhook'] },
    { name: 'crm', sha256: sumOf('two'), services: ['interactions'], companyId: 'acme:eu 1' },
  ]);
  expect(parseServiceTokens('')).toEqual([]);
});

it.each([
  [sumOf('a'), 'entry 1 is a bare SHA-256'],
  [`:${sumOf('a')}:identity`, 'must begin with a name'],
  [`Upper:${sumOf('a')}:identity`, 'must begin with a name'],
  [`scheduler:${sumOf('a')}:identity`, 'must begin with a name'],
  [`3f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11:${sumOf('a')}:identity`, 'must begin with a name'],
  [`a3f0c1b6-9d3a-4c52-8a80-2f6e0f4f7a11:${sumOf('a')}:identity`, 'must begin with a name'],
  ['crm:abc:identity', 'must have a SHA-256 of 64 hex digits'],
  [`crm:${sumOf('a')}`, 'must name services'],
  [`crm:${sumOf('a')}:`, 'must name services'],
  [`crm:${sumOf('a')}:*`, 'must name services'],
  [`crm:${sumOf('a')}:identity+`, 'must name services'],
  [`crm:${sumOf('a')}:identity:acme`, 'must end with company=ID'],
  [`crm:${sumOf('a')}:identity:company=`, 'must end with company=ID'],
  [`crm:${sumOf('a')}:identity,other:${sumOf('a')}:interactions`, 'twice'],
])('refuses %s', (input, message) => {
  expect(() => parseServiceTokens(input)).toThrow(message);
});

it('finds a token by its sum', () => {
  const entry = serviceTokenEntry('secret', { name: 'crm', services: ['interactions'], companyId: 'acme' });
  const tokens = parseServiceTokens(`other:${sumOf('x')}:identity,${entry}`);
  expect(findServiceToken(tokens, 'secret')).toMatchObject({ name: 'crm', companyId: 'acme' });
  expect(findServiceToken(tokens, 'Secret')).toBeUndefined();
  expect(() => serviceTokenEntry('secret', { name: 'crm', services: ['identity'], companyId: 'a,b' })).toThrow('comma');
});
