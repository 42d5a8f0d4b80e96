import { describe, expect, it } from '@jest/globals';
import { clientNetwork, unknownNetwork } from './client-network.js';

describe('clientNetwork', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '127.0.0.1'],
    // One subscriber has a whole /64 and takes another address of it whenever it likes.
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['fe80::2%25en1', 'fe80::/64'],
    ['[2001:db8::1]', '2001:db8::/64'],
    // IPv4 in the clothes of IPv6 is the same client.
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    // A NAT64 prefix covers all of IPv4: by /64 one client would use up the limit of everybody.
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b::cb00:7108', '203.0.113.8'],
  ])('counts %s as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('counts all spellings of an address as one', () => {
    expect(clientNetwork('2001:db8:0:0:1::')).toBe(clientNetwork('2001:db8::aaaa:0:0:1'));
  });

  // A caller that sends an address of its own making shares one window with all others who do.
  it.each([
    undefined,
    '',
    'unknown',
    '_hidden',
    'fe80::1%',
    '1.2.3',
    '0x7f.1',
    '2130706433',
    '01.02.03.04',
    '1.2.3.4:5678',
    '[2001:db8::1]:443',
    ':::',
    '2001:db8::1::2',
    '%00',
    '1.2.3.4\u0000',
    'x'.repeat(100_000),
  ])('counts %j as unknown', (address) => {
    expect(clientNetwork(address)).toBe(unknownNetwork);
  });
});
