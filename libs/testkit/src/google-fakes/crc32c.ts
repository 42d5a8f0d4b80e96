// CRC-32C (Castagnoli), as Cloud Storage reports it: base64 of the big-endian sum. RFC 3720, B.4, has test vectors.

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

export function crc32c(bytes: Uint8Array): string {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 0xff]!;
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE((sum ^ 0xffffffff) >>> 0);
  return digest.toString('base64');
}
