import { describe, expect, it } from '@jest/globals';
import { crc32c } from './crc32c.js';

describe('crc32c', () => {
  it('gives the checksums of RFC 3720, appendix B.4', () => {
    const sum = (bytes: Uint8Array) => Buffer.from(crc32c(bytes), 'base64').toString('hex');
    expect(sum(Buffer.alloc(32))).toBe('8a9136aa');
    expect(sum(Buffer.alloc(32, 0xff))).toBe('62a8ab43');
    expect(sum(Buffer.from(Array.from({ length: 32 }, (_, index) => index)))).toBe('46dd794e');
    expect(sum(Buffer.from('123456789'))).toBe('e3069283');
  });
});
