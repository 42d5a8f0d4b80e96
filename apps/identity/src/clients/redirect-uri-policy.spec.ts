import { describe, expect, it } from '@jest/globals';
import { formActionSource, redirectDestination, redirectUriKind } from './redirect-uri-policy.js';

describe('redirect URIs', () => {
  it.each([
    ['https://a.example/cb?x=1', 'https'],
    ['http://localhost:1/cb', 'loopback'],
    ['http://127.0.0.1/cb', 'loopback'],
    ['http://[::1]:8080/cb', 'loopback'],
    ['com.example.app:/cb', 'private-use'],
    ['http://a.example/cb', undefined],
    ['http://localhost.evil.example/cb', undefined],
    ['http://127.0.0.2/cb', undefined],
    ['https://a.example/cb#x', undefined],
    ['https://a.example/cb#', undefined],
    ['https://user:pass@a.example/cb', undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['app:/cb', undefined],
    ['/relative', undefined],
    ['', undefined],
  ])('%s is %s', (uri, kind) => {
    expect(redirectUriKind(uri)).toBe(kind);
  });

  it('names the destination and the CSP source', () => {
    expect(redirectDestination('https://a.example:8443/cb')).toEqual({ label: 'a.example:8443', isLocal: false });
    expect(redirectDestination('http://localhost:4999/cb')).toEqual({ label: 'localhost:4999', isLocal: true });
    expect(redirectDestination('com.example.app:/cb')).toEqual({ label: 'com.example.app', isLocal: true });
    expect(formActionSource('https://a.example:8443/cb')).toBe('https://a.example:8443');
    expect(formActionSource('com.example.app:/cb')).toBe('com.example.app:');
  });
});
