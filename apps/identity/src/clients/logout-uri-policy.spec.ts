import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, logoutUriFault } from './logout-uri-policy.js';

describe('addresses that are told of a sign-out', () => {
  it.each([
    'https://app.example.com/logout',
    'https://app.example.com:8443/logout?tenant=1',
    'https://8.8.8.8/logout',
    'https://[2606:4700::1111]/logout',
  ])('%s may be called', (uri) => {
    expect(logoutUriFault(uri, false)).toBeUndefined();
  });

  it.each([
    'http://app.example.com/logout',
    'https://app.example.com/logout#x',
    'https://user:secret@app.example.com/logout',
    'ftp://app.example.com/logout',
    'com.example.app:/logout',
    'https://localhost/logout',
    'http://localhost/logout',
    'https://127.0.0.1/logout',
    'https://127.1/logout',
    'https://2130706433/logout',
    'https://0x7f.0.0.1/logout',
    'https://0.0.0.0/logout',
    'https://10.0.0.1/logout',
    'https://100.64.0.1/logout',
    'https://169.254.169.254/logout',
    'https://172.16.0.1/logout',
    'https://192.168.1.1/logout',
    'https://[::1]/logout',
    'https://[::]/logout',
    'https://[::ffff:127.0.0.1]/logout',
    'https://[::ffff:a9fe:a9fe]/logout',
    'https://[64:ff9b::7f00:1]/logout',
    'https://[fd00::1]/logout',
    'https://[fe80::1]/logout',
    'https://[2002:7f00:1::]/logout',
    '/logout',
    '',
  ])('"%s" may not', (uri) => {
    expect(logoutUriFault(uri, false)).toMatch(/^must /);
  });

  it('loopback is for development alone, and other private addresses are not allowed there either', () => {
    expect(logoutUriFault('http://localhost:4999/logout', true)).toBeUndefined();
    expect(logoutUriFault('http://127.0.0.1:4999/logout', true)).toBeUndefined();
    expect(logoutUriFault('http://10.0.0.1/logout', true)).toBe('must be https');
    expect(logoutUriFault('https://10.0.0.1/logout', true)).toBe('must be on the internet');
  });

  it('a text that is no address is not public', () => {
    for (const text of ['', 'localhost', '127.1', '8.8.8.8.', 'fe80::1%eth0'])
      expect(isPublicAddress(text)).toBe(false);
  });
});
